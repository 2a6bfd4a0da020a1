// The floor of a create: rows that SQLite takes when nothing but SQLite runs. 64 rows a transaction, each
// synced (WAL, FULL), a table with a unique random text id and a chat object's JSON.
//
// usage: rows FILE SECONDS      FILE is made anew and removed; prints {"rows":N,"seconds":S}
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { rows_a_transaction = 64, id_length = 16 };

static sqlite3 *database;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(int code, int wanted) {
    if (code == wanted) return;
    fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK); }

static void remove_files(const char *path) {
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void make_id(char *id, uint64_t *state) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    for (int i = 0; i < id_length; i++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        id[i] = letters[*state >> 58];
    }
}

int main(int count, char **arguments) {
    if (count != 3) { fprintf(stderr, "usage: rows FILE SECONDS\n"); return 2; }
    remove_files(arguments[1]);
    check(sqlite3_open(arguments[1], &database), SQLITE_OK);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("PRAGMA cache_size=-65536");
    run("CREATE TABLE object(row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, doc TEXT NOT NULL)");
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(database, "INSERT INTO object(id, doc) VALUES(?, ?)", -1, &insert, NULL), SQLITE_OK);
    double length = atof(arguments[2]), started = now(), passed;
    uint64_t state = 88172645463325252u;
    long rows = 0;
    do {
        run("BEGIN IMMEDIATE");
        for (int i = 0; i < rows_a_transaction; i++, rows++) {
            char id[id_length], doc[512];
            make_id(id, &state);
            int doc_length = snprintf(doc, sizeof doc,
                "{\"body\":\"message number %07ld lorem ipsum dolor sit amet consectetur adipiscing elit sed do\","
                "\"userId\":\"u%ld\",\"displayName\":\"d%ld\",\"n\":%ld,\"createDate\":\"2026-01-01T00:00:00.000Z\","
                "\"updateDate\":\"2026-01-01T00:00:00.000Z\",\"acl\":{\"*\":{\"read\":true}}}",
                rows, rows % 1000, rows % 1000, rows);
            sqlite3_bind_text(insert, 1, id, id_length, SQLITE_STATIC);
            sqlite3_bind_text(insert, 2, doc, doc_length, SQLITE_STATIC);
            check(sqlite3_step(insert), SQLITE_DONE);
            sqlite3_reset(insert);
        }
        run("COMMIT");
        passed = now() - started;
    } while (passed < length);
    sqlite3_finalize(insert);
    sqlite3_close(database);
    remove_files(arguments[1]);
    printf("{\"rows\":%ld,\"seconds\":%.4f}\n", rows, passed);
    return 0;
}
