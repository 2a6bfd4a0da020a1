#pragma once
#include "leaves.h"
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

// Rows that are known before their objects are looked up: their descents from the table's root run ahead
// of SQLite's, a few at a time, so that pages which lie in no cache are asked for together.
//
// The map may be older than the write-ahead log, and its bytes are believed in nothing: every offset is
// kept in its page, every page in the map, the levels are counted. What is wrong costs time only.

enum {
    HATO_AHEAD_ROWS = 1024,
    // Levels above the leaves: 300 children each, so that four are a file of more than 32 TB.
    HATO_AHEAD_LEVELS = 4,
    // More than the ticks from a row's root to its leaf: three a level, and one.
    HATO_AHEAD_ROOM = 16,
    // As far into a page as eight bytes behind a cell's page number can begin.
    HATO_LAST_CELL = 4076,
    HATO_TABLE_INTERIOR = 0x05,
    HATO_INTERIOR_HEADER_BYTES = 12,
    // With rows of seven bytes a page has some 314 cells; one of far more is none of ours.
    HATO_INTERIOR_CELL_LIMIT = 500,
    // Of some 300 cells nine halvings find one; their pointers share lines after the first four.
    HATO_INTERIOR_HALVINGS = 9,
    HATO_POINTER_HALVINGS = 4,
    HATO_USUAL_MIDDLE = 128,
    HATO_LEAF_HALVINGS = 5,
    // How far the guessed cell may be from the right one; behind that the search is SQLite's.
    HATO_GUESS_STEPS = 8,
    HATO_LINE_BYTES = 64,
    // Of an object behind its cell's first line: most have no more.
    HATO_OBJECT_LINES = 4,
};

// One row's way down: the page it is at, and between which rows that page lies.
typedef struct {
    const uint8_t *page;
    int64_t row, below, upto;
    int cells, place;
} hato_descent;

typedef struct {
    int64_t rows[HATO_AHEAD_ROWS];
    // Of zeros: a page of no kind.
    uint8_t no_page[HATO_PAGE_BYTES];
    int count, ticks, levels;
    sqlite3_file *file;
    const uint8_t *map;
    int64_t map_bytes;
    const uint8_t *root;
    int root_cells, root_place, shift;
    hato_descent descents[HATO_AHEAD_ROOM + HATO_AHEAD_ROWS + HATO_AHEAD_ROOM];
} hato_ahead;

static inline unsigned hato_two(const uint8_t *bytes) { return (unsigned)(bytes[0] << 8 | bytes[1]); }
static inline uint32_t hato_four(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap32(value);
}
static inline uint64_t hato_eight(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap64(value);
}

static inline const uint8_t *hato_page(const hato_ahead *ahead, uint32_t number) {
    if (number < 2 || (int64_t)number * HATO_PAGE_BYTES > ahead->map_bytes) return ahead->no_page;
    return ahead->map + (int64_t)(number - 1) * HATO_PAGE_BYTES;
}

// Returns where a cell of a page between root and leaves is: its child's number, then its row.
static inline int hato_pointer(const uint8_t *page, int cell) {
    (void)page;
    return HATO_INTERIOR_HEADER_BYTES + 2 * cell;
}
static inline int hato_cell(const uint8_t *page, int cell) {
    const int offset = (int)hato_two(page + hato_pointer(page, cell)) & (HATO_PAGE_BYTES - 1);
    return offset > HATO_LAST_CELL ? HATO_LAST_CELL : offset;
}

// Returns the row of a cell, of as many bytes as the list's first row has: rows of one class have. SQLite
// keeps seven bits of it in each byte, the highest first; three shifts put them together.
static inline int64_t hato_cell_row(const hato_ahead *ahead, const uint8_t *page, int cell) {
    uint64_t row = hato_eight(page + hato_cell(page, cell) + 4) >> ahead->shift;
    row &= 0x7f7f7f7f7f7f7f7full;
    row = (row & 0x007f007f007f007full) | ((row & 0x7f007f007f007f00ull) >> 1);
    row = (row & 0x00003fff00003fffull) | ((row & 0x3fff00003fff0000ull) >> 2);
    return (int64_t)((row & 0x0fffffffull) | ((row & 0x0fffffff00000000ull) >> 4));
}

// Returns a cell's child; behind the last cell is the page's rightmost one.
static inline const uint8_t *hato_child(const hato_ahead *ahead, const uint8_t *page, int cell, int cells) {
    return hato_page(ahead, hato_four(cell >= cells ? page + 8 : page + hato_cell(page, cell)));
}

// Returns the cells of a page of that kind; 0 of another, and of one that can't have so many.
static inline int hato_cells(const uint8_t *page, int kind) {
    const int cells = page[0] == kind ? (int)hato_two(page + 3) : 0;
    return cells > HATO_INTERIOR_CELL_LIMIT ? 0 : cells;
}

// Returns which of `count` cells the row is in, if rows lie evenly: of one class they nearly do.
static inline int hato_guess(const hato_descent *descent, int count) {
    // A guess need not be exact, and a division of integers takes four times as long.
    const float span = (float)(descent->upto - descent->below);
    if (!(span > 0)) return 0;
    // Rows of a damaged file may be any numbers: their difference wraps.
    const float guess = (float)((uint64_t)descent->row - (uint64_t)descent->below - 1) * (float)count / span;
    if (!(guess > 0)) return 0;
    return guess >= (float)count ? count - 1 : (int)guess;
}

// Begins at the root of a map, whose pages may be of any bytes; 0 when there is nothing to run ahead of.
static inline int hato_ahead_start(hato_ahead *ahead, const uint8_t *map, int64_t map_bytes, uint32_t root) {
    ahead->count = ahead->ticks = 0;
    ahead->root_place = -1;
    ahead->map = map;
    ahead->map_bytes = map_bytes;
    const uint8_t *page = ahead->root = hato_page(ahead, root);
    int levels = 0;
    while (levels < HATO_AHEAD_LEVELS && hato_cells(page, HATO_TABLE_INTERIOR)) {
        levels++;
        page = hato_page(ahead, hato_four(page + 8));
    }
    ahead->levels = page[0] == HATO_TABLE_LEAF ? levels : 0;
    ahead->root_cells = hato_cells(ahead->root, HATO_TABLE_INTERIOR);
    for (int i = 0; i < HATO_AHEAD_ROOM; i++) {
        ahead->descents[i].page = ahead->no_page;
        ahead->descents[i].cells = 0;
    }
    return ahead->levels > 0;
}

// Gives the map back, which SQLite cannot make anew while it is held.
static inline void hato_ahead_end(hato_ahead *ahead) {
    if (ahead->file) ahead->file->pMethods->xUnfetch(ahead->file, 0, (void *)(uintptr_t)ahead->map);
    ahead->file = NULL;
    ahead->levels = 0;
}

// Begins inside of a transaction that has read; 0 when there is nothing to run ahead of, and nothing to end.
static inline int hato_ahead_begin(hato_ahead *ahead, sqlite3 *db, uint32_t root, int64_t least_bytes) {
    // A page without rows until it is known that there is more than one leaf.
    ahead->count = ahead->levels = 0;
    ahead->file = NULL;
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file || !file->pMethods) return 0;
    if (file->pMethods->iVersion < 3 || file->pMethods->xFileSize(file, &bytes)) return 0;
    // The library maps no more.
    if (bytes < least_bytes || bytes > 0x7FFF0000) return 0;
    void *start = NULL;
    if (file->pMethods->xFetch(file, 0, (int)bytes, &start) || !start) return 0;
    ahead->file = file;
    if (hato_ahead_start(ahead, (const uint8_t *)start, bytes, root)) return 1;
    hato_ahead_end(ahead);
    return 0;
}

// Finds the root's child that has the row: beside the last one's, mostly, since rows come in order.
static inline void hato_ahead_root(hato_ahead *ahead, hato_descent *descent) {
    const uint8_t *root = ahead->root;
    const int cells = ahead->root_cells;
    int place = ahead->root_place;
    if (place < 0) {
        int bytes = 1;
        for (uint64_t rest = (uint64_t)descent->row >> 7; rest && bytes < 8; rest >>= 7) bytes++;
        ahead->shift = 64 - 8 * bytes;
        place = 0;
        for (int end = cells; place < end;) {
            const int middle = (place + end) / 2;
            if (hato_cell_row(ahead, root, middle) < descent->row) place = middle + 1;
            else end = middle;
        }
    }
    while (place > 0 && hato_cell_row(ahead, root, place - 1) >= descent->row) place--;
    while (place < cells && hato_cell_row(ahead, root, place) < descent->row) place++;
    ahead->root_place = place;
    descent->below = place > 0 ? hato_cell_row(ahead, root, place - 1) : 0;
    descent->upto = place < cells ? hato_cell_row(ahead, root, place) : 0;
    // Of the first and the last child one end is not told: taken for as wide as its neighbour.
    if (place == 0 && cells > 1) {
        descent->below = descent->upto - (hato_cell_row(ahead, root, 1) - descent->upto);
    }
    if (place == cells) {
        descent->upto = cells > 1
            ? descent->below + (descent->below - hato_cell_row(ahead, root, cells - 2))
            : (int64_t)((uint64_t)descent->row + 1);
    }
    descent->page = hato_child(ahead, root, place, cells);
    __builtin_prefetch(descent->page);
    // Where the halving of a usual page begins.
    __builtin_prefetch(descent->page + hato_pointer(descent->page, HATO_USUAL_MIDDLE));
}

// A search by halving visits the same places whatever the keys are, once its end is known: asks for what
// SQLite's own will look at on its way to cell `goal`, of which `place` tells where in the page it is.
static inline __attribute__((always_inline)) void hato_ask_path(
    const uint8_t *page, int cells, int goal, int steps, int (*place)(const uint8_t *, int)
) {
    int low = 0, high = cells - 1;
    for (int step = 0; step < steps; step++) {
        const int half = (low + high) >> 1, middle = half < 0 ? 0 : half, is_before = middle < goal;
        __builtin_prefetch(page + place(page, middle));
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle - 1;
    }
}

static inline void hato_ask_leaf(const uint8_t *page, int cells, int goal) {
    hato_ask_path(page, cells, goal, HATO_LEAF_HALVINGS, hato_leaf_cell);
    const int start = hato_leaf_cell(page, goal);
    for (int line = 1; line <= HATO_OBJECT_LINES; line++) {
        __builtin_prefetch(page + ((start + HATO_LINE_BYTES * line) & (HATO_PAGE_BYTES - 1)));
    }
}

// Goes to the child that has the row: from the guessed cell some steps aside, as its neighbours' rows say.
static inline void hato_ahead_descend(const hato_ahead *ahead, hato_descent *descent) {
    const uint8_t *page = descent->page;
    const int cells = descent->cells;
    int place = descent->place;
    if (!cells) {
        descent->page = ahead->no_page;
        return;
    }
    int64_t upto = place < cells ? hato_cell_row(ahead, page, place) : descent->upto;
    int64_t below = place > 0 ? hato_cell_row(ahead, page, place - 1) : descent->below;
    int steps = 0;
    while (upto < descent->row && place < cells && steps++ < HATO_GUESS_STEPS) {
        below = upto;
        place++;
        upto = place < cells ? hato_cell_row(ahead, page, place) : descent->upto;
    }
    while (below >= descent->row && place > 0 && steps++ < HATO_GUESS_STEPS) {
        upto = below;
        place--;
        below = place > 0 ? hato_cell_row(ahead, page, place - 1) : descent->below;
    }
    descent->below = below;
    descent->upto = upto;
    descent->page = hato_child(ahead, page, place, cells);
    __builtin_prefetch(descent->page);
}

// Takes the next row, and each row before it a step further: what a step asks for has come by the next.
static inline void hato_ahead_tick(hato_ahead *ahead) {
    // Behind the last row's own ticks there is nothing to do.
    if (!ahead->levels || ahead->ticks >= HATO_AHEAD_ROWS + HATO_AHEAD_ROOM) return;
    hato_descent *descent = ahead->descents + HATO_AHEAD_ROOM + ahead->ticks;
    descent->page = ahead->no_page;
    descent->cells = 0;
    if (ahead->ticks < ahead->count) {
        descent->row = ahead->rows[ahead->ticks];
        hato_ahead_root(ahead, descent);
    }
    for (int level = 1; level < ahead->levels; level++) {
        descent--;
        descent->cells = hato_cells(descent->page, HATO_TABLE_INTERIOR);
        descent->place = hato_guess(descent, descent->cells + 1);
        hato_ask_path(descent->page, descent->cells, descent->place, HATO_POINTER_HALVINGS, hato_pointer);
        __builtin_prefetch(descent->page + hato_pointer(descent->page, descent->place));
        descent--;
        hato_ask_path(descent->page, descent->cells, descent->place, HATO_INTERIOR_HALVINGS, hato_cell);
        descent--;
        hato_ahead_descend(ahead, descent);
    }
    descent--;
    const int cells = hato_cells(descent->page, HATO_TABLE_LEAF);
    if (cells) hato_ask_leaf(descent->page, cells, hato_guess(descent, cells));
    ahead->ticks++;
}
static inline int hato_ahead_add(hato_ahead *ahead, int64_t row) {
    if (ahead->count == HATO_AHEAD_ROWS) return 0;
    ahead->rows[ahead->count++] = row;
    hato_ahead_tick(ahead);
    return 1;
}

// The table hato_page(row): the rows, in their order.
typedef struct {
    sqlite3_vtab base;
    hato_ahead *ahead;
} hato_page_table;
typedef struct {
    sqlite3_vtab_cursor base;
    int at;
} hato_page_cursor;

static hato_ahead *hato_page_ahead(sqlite3_vtab_cursor *cursor) {
    return ((hato_page_table *)(void *)cursor->pVtab)->ahead;
}
static int *hato_page_place(sqlite3_vtab_cursor *cursor) { return &((hato_page_cursor *)(void *)cursor)->at; }

static int hato_page_connect(
    sqlite3 *db, void *ahead, int count, const char *const *arguments, sqlite3_vtab **table, char **error
) {
    (void)count;
    (void)arguments;
    (void)error;
    const int code = sqlite3_declare_vtab(db, "CREATE TABLE page (row INTEGER)");
    if (code) return code;
    hato_page_table *made = (hato_page_table *)sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    made->ahead = (hato_ahead *)ahead;
    *table = &made->base;
    return SQLITE_OK;
}
static int hato_page_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}
static int hato_page_best(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    info->estimatedCost = 1;
    info->estimatedRows = 100;
    return SQLITE_OK;
}
static int hato_page_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    hato_page_cursor *made = (hato_page_cursor *)sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *cursor = &made->base;
    return SQLITE_OK;
}
static int hato_page_close(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}
static int hato_page_filter(
    sqlite3_vtab_cursor *cursor, int number, const char *name, int count, sqlite3_value **values
) {
    (void)number;
    (void)name;
    (void)count;
    (void)values;
    *hato_page_place(cursor) = 0;
    return SQLITE_OK;
}
// The last rows' descents end while the first objects are looked up.
static int hato_page_next(sqlite3_vtab_cursor *cursor) {
    if (++*hato_page_place(cursor) < HATO_AHEAD_ROOM) hato_ahead_tick(hato_page_ahead(cursor));
    return SQLITE_OK;
}
static int hato_page_eof(sqlite3_vtab_cursor *cursor) {
    return *hato_page_place(cursor) >= hato_page_ahead(cursor)->count;
}
static int hato_page_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
    (void)column;
    sqlite3_result_int64(context, hato_page_ahead(cursor)->rows[*hato_page_place(cursor)]);
    return SQLITE_OK;
}
static int hato_page_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
    *row = *hato_page_place(cursor);
    return SQLITE_OK;
}
static const sqlite3_module hato_page_module = {
    .xConnect = hato_page_connect,
    .xBestIndex = hato_page_best,
    .xDisconnect = hato_page_disconnect,
    .xOpen = hato_page_open,
    .xClose = hato_page_close,
    .xFilter = hato_page_filter,
    .xNext = hato_page_next,
    .xEof = hato_page_eof,
    .xColumn = hato_page_column,
    .xRowid = hato_page_rowid,
};

static inline int hato_ahead_register(hato_ahead *ahead, sqlite3 *db) {
    return sqlite3_create_module(db, "hato_page", &hato_page_module, ahead);
}
