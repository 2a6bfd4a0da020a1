#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>

// Leaves of tables, read ahead within the page.
//
// A row is found in a leaf by halving: each probe of a leaf that lies in no cache waits for memory, one
// after the other. When SQLite takes a leaf from its map of the file, the beginning of every cell is asked
// for at once. Nothing is decided by what is found there: a page of other bytes costs some needless reads
// of the cache, no more.

enum {
    HATO_PAGE_BYTES = 4096,
    HATO_TABLE_LEAF = 0x0D,
    HATO_LEAF_HEADER_BYTES = 8,
    // More rows than this are small ones, many of which share a line.
    HATO_LEAF_CELL_LIMIT = 64,
};

// Returns how many cells of the page are worth asking for: 0 when it is no leaf of a table.
static inline int hato_leaf_cells(const uint8_t *page) {
    if (page[0] != HATO_TABLE_LEAF) return 0;
    const int cells = page[3] << 8 | page[4];
    return cells < HATO_LEAF_CELL_LIMIT ? cells : HATO_LEAF_CELL_LIMIT;
}

// Returns where the cell is; always in the page.
static inline int hato_leaf_cell(const uint8_t *page, int cell) {
    const uint8_t *offset = page + HATO_LEAF_HEADER_BYTES + 2 * cell;
    return (offset[0] << 8 | offset[1]) & (HATO_PAGE_BYTES - 1);
}

static inline void hato_prefetch_leaf(const uint8_t *page) {
    const int cells = hato_leaf_cells(page);
    for (int cell = 0; cell < cells; cell++) __builtin_prefetch(page + hato_leaf_cell(page, cell));
}

// The methods of one open file, with those that stood there before.
typedef struct {
    sqlite3_io_methods own;
    const sqlite3_io_methods *before;
} hato_file_methods;

static inline const sqlite3_io_methods *hato_methods_before(sqlite3_file *file) {
    return ((const hato_file_methods *)(const void *)file->pMethods)->before;
}

static inline int hato_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
    const int code = hato_methods_before(file)->xFetch(file, offset, count, page);
    // The first page begins with the file's header.
    const int is_leaf_size = offset > 0 && count == HATO_PAGE_BYTES;
    if (code == SQLITE_OK && *page != NULL && is_leaf_size) hato_prefetch_leaf((const uint8_t *)*page);
    return code;
}

static inline int hato_close_file(sqlite3_file *file) {
    hato_file_methods *methods = (hato_file_methods *)(void *)(uintptr_t)file->pMethods;
    file->pMethods = methods->before;
    free(methods);
    return file->pMethods->xClose(file);
}

// Lets the connection's reads through its map ask for leaves ahead; once for a connection.
static inline int hato_sqlite_prefetch_leaves(sqlite3 *db) {
    sqlite3_file *file = NULL;
    const int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    // Files without maps have nothing to ask ahead for.
    if (file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 3) return SQLITE_OK;
    hato_file_methods *methods = (hato_file_methods *)malloc(sizeof *methods);
    if (methods == NULL) return SQLITE_NOMEM;
    methods->own = *file->pMethods;
    methods->before = file->pMethods;
    methods->own.xFetch = hato_fetch;
    methods->own.xClose = hato_close_file;
    file->pMethods = &methods->own;
    return SQLITE_OK;
}
