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


static inline unsigned hato_two(const uint8_t *p) { return (unsigned)(p[0] << 8 | p[1]); }
static inline uint32_t hato_four(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return __builtin_bswap32(v); }
static inline uint64_t hato_eight(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return __builtin_bswap64(v); }

static inline const uint8_t *hato_page(const hato_ahead *a, uint32_t number) {
    if (number < 2 || (int64_t)number * HATO_PAGE_BYTES > a->map_bytes) return a->no_page;
    return a->map + (int64_t)(number - 1) * HATO_PAGE_BYTES;
}
static inline unsigned hato_cell(const uint8_t *p, int i) {
    unsigned o = hato_two(p + 12 + 2 * i) & 4095;
    return o > HATO_LAST_CELL ? HATO_LAST_CELL : o;
}
// Returns the row of a cell, of as many bytes as the list's first row has: rows of one class have.
static inline int64_t hato_cell_row(const hato_ahead *a, const uint8_t *p, int i) {
    uint64_t x = hato_eight(p + hato_cell(p, i) + 4) >> a->shift;
    x &= 0x7f7f7f7f7f7f7f7full;
    x = (x & 0x007f007f007f007full) | ((x & 0x7f007f007f007f00ull) >> 1);
    x = (x & 0x00003fff00003fffull) | ((x & 0x3fff00003fff0000ull) >> 2);
    return (int64_t)((x & 0x0fffffffull) | ((x & 0x0fffffff00000000ull) >> 4));
}
static inline const uint8_t *hato_child(const hato_ahead *a, const uint8_t *p, int i, int cells) {
    return hato_page(a, hato_four(i >= cells ? p + 8 : p + hato_cell(p, i)));
}
static inline int hato_cells(const uint8_t *p, int kind) {
    int c = p[0] == kind ? (int)hato_two(p + 3) : 0;
    return c > 500 ? 0 : c;
}
// Returns which of `count` cells the row is in, if rows lie evenly: of one class they nearly do.
static inline int hato_guess(const hato_descent *d, int count) {
    float span = (float)(d->upto - d->below);
    if (!(span > 0)) return 0;
    float g = (float)(d->row - d->below - 1) * (float)count / span;
    if (!(g > 0)) return 0;
    return g >= (float)count ? count - 1 : (int)g;
}

// Begins at the root of a map, whose pages may be of any bytes; 0 when there is nothing to run ahead of.
static inline int hato_ahead_start(hato_ahead *a, const uint8_t *map, int64_t map_bytes, uint32_t root) {
    a->count = a->ticks = 0;
    a->root_place = -1;
    a->map = map;
    a->map_bytes = map_bytes;
    const uint8_t *p = a->root = hato_page(a, root);
    int levels = 0;
    while (levels < HATO_AHEAD_LEVELS && hato_cells(p, HATO_TABLE_INTERIOR)) {
        levels++;
        p = hato_page(a, hato_four(p + 8));
    }
    a->levels = p[0] == HATO_TABLE_LEAF ? levels : 0;
    a->root_cells = hato_cells(a->root, HATO_TABLE_INTERIOR);
    for (int i = 0; i < HATO_AHEAD_ROOM; i++) {
        a->descents[i].page = a->no_page;
        a->descents[i].cells = 0;
    }
    return a->levels > 0;
}

static inline int hato_ahead_begin(hato_ahead *a, sqlite3 *db, uint32_t root, int64_t least_bytes) {
    a->count = a->ticks = 0;
    a->levels = 0;
    a->root_place = -1;
    a->file = NULL;
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file || !file->pMethods) return 0;
    if (file->pMethods->iVersion < 3 || file->pMethods->xFileSize(file, &bytes)) return 0;
    // The library maps no more.
    if (bytes < least_bytes || bytes > 0x7FFF0000) return 0;
    void *start = NULL;
    if (file->pMethods->xFetch(file, 0, (int)bytes, &start) || !start) return 0;
    a->file = file;
    return hato_ahead_start(a, (const uint8_t *)start, bytes, root);
}
static inline void hato_ahead_end(hato_ahead *a) {
    if (a->file) a->file->pMethods->xUnfetch(a->file, 0, (void *)(uintptr_t)a->map);
    a->file = NULL;
    a->levels = 0;
}

static inline void hato_ahead_root(hato_ahead *a, hato_descent *d) {
    const uint8_t *p = a->root;
    const int c = a->root_cells;
    int i = a->root_place;
    if (i < 0) {
        int bytes = 1;
        for (uint64_t v = (uint64_t)d->row >> 7; v && bytes < 8; v >>= 7) bytes++;
        a->shift = 64 - 8 * bytes;
        int hi = c;
        i = 0;
        while (i < hi) { int m = (i + hi) / 2; if (hato_cell_row(a, p, m) < d->row) i = m + 1; else hi = m; }
    }
    while (i > 0 && hato_cell_row(a, p, i - 1) >= d->row) i--;
    while (i < c && hato_cell_row(a, p, i) < d->row) i++;
    a->root_place = i;
    d->below = i > 0 ? hato_cell_row(a, p, i - 1) : 0;
    d->upto = i < c ? hato_cell_row(a, p, i) : 0;
    if (i == 0 && c > 1) d->below = d->upto - (hato_cell_row(a, p, 1) - d->upto);
    if (i == c) d->upto = c > 1 ? d->below + (d->below - hato_cell_row(a, p, c - 2)) : d->row + 1;
    d->page = hato_child(a, p, i, c);
    __builtin_prefetch(d->page);
    __builtin_prefetch(d->page + 268);
}
// Takes the next row, and each row before it a step further: what a step asks for has come by the next.
static inline void hato_ahead_tick(hato_ahead *a) {
    // Behind the last row's own ticks there is nothing to do.
    if (!a->levels || a->ticks >= HATO_AHEAD_ROWS + HATO_AHEAD_ROOM) return;
    hato_descent *newest = a->descents + HATO_AHEAD_ROOM + a->ticks;
    newest->page = a->no_page;
    newest->cells = 0;
    if (a->ticks < a->count) {
        newest->row = a->rows[a->ticks];
        hato_ahead_root(a, newest);
    }
    hato_descent *d = newest;
    for (int level = 1; level < a->levels; level++) {
        d--;
        const uint8_t *p = d->page;
        int c = d->cells = hato_cells(p, HATO_TABLE_INTERIOR), g = d->place = hato_guess(d, c + 1);
        for (int k = 0, lo = 0, hi = c - 1; k < 4; k++) {
            int m = (lo + hi) >> 1, go = m < g;
            __builtin_prefetch(p + 12 + 2 * m);
            lo = go ? m + 1 : lo; hi = go ? hi : m - 1;
        }
        __builtin_prefetch(p + 12 + 2 * g);
        d--;
        p = d->page; c = d->cells; g = d->place;
        for (int k = 0, lo = 0, hi = c - 1; k < 9; k++) {
            int m = (lo + hi) >> 1, go;
            m = m < 0 ? 0 : m; go = m < g;
            __builtin_prefetch(p + hato_cell(p, m));
            lo = go ? m + 1 : lo; hi = go ? hi : m - 1;
        }
        d--;
        p = d->page; c = d->cells; g = d->place;
        if (c) {
            int64_t upto = g < c ? hato_cell_row(a, p, g) : d->upto, below = g > 0 ? hato_cell_row(a, p, g - 1) : d->below;
            int steps = 0;
            while (upto < d->row && g < c && steps++ < 8) { below = upto; g++; upto = g < c ? hato_cell_row(a, p, g) : d->upto; }
            while (below >= d->row && g > 0 && steps++ < 8) { upto = below; g--; below = g > 0 ? hato_cell_row(a, p, g - 1) : d->below; }
            d->below = below; d->upto = upto;
            d->page = hato_child(a, p, g, c);
            __builtin_prefetch(d->page);
        } else d->page = a->no_page;
    }
    d--;
    const uint8_t *p = d->page;
    int c = hato_cells(p, HATO_TABLE_LEAF);
    if (c) {
        int g = hato_guess(d, c);
        for (int k = 0, lo = 0, hi = c - 1; k < 5; k++) {
            int m = (lo + hi) >> 1, go;
            m = m < 0 ? 0 : m; go = m < g;
            __builtin_prefetch(p + hato_leaf_cell(p, m));
            lo = go ? m + 1 : lo; hi = go ? hi : m - 1;
        }
        int o = hato_leaf_cell(p, g);
        for (int l = 1; l < 5; l++) __builtin_prefetch(p + ((o + 64 * l) & 4095));
    }
    a->ticks++;
}
static inline int hato_ahead_add(hato_ahead *a, int64_t row) {
    if (a->count == HATO_AHEAD_ROWS) return 0;
    a->rows[a->count++] = row;
    hato_ahead_tick(a);
    return 1;
}

// The table hato_page(row): the rows, in their order.
typedef struct { sqlite3_vtab base; hato_ahead *ahead; } hato_page_table;
typedef struct { sqlite3_vtab_cursor base; int at; } hato_page_cursor;
static int hato_page_connect(sqlite3 *db, void *ahead, int n, const char *const *v, sqlite3_vtab **t, char **e) {
    (void)n; (void)v; (void)e;
    int code = sqlite3_declare_vtab(db, "CREATE TABLE page (row INTEGER)");
    if (code) return code;
    hato_page_table *made = (hato_page_table *)sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    made->ahead = (hato_ahead *)ahead;
    *t = &made->base;
    return SQLITE_OK;
}
static int hato_page_disconnect(sqlite3_vtab *t) { sqlite3_free(t); return SQLITE_OK; }
static int hato_page_best(sqlite3_vtab *t, sqlite3_index_info *i) { (void)t; i->estimatedCost = 1; i->estimatedRows = 100; return SQLITE_OK; }
static int hato_page_open(sqlite3_vtab *t, sqlite3_vtab_cursor **c) {
    (void)t;
    hato_page_cursor *made = (hato_page_cursor *)sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *c = &made->base;
    return SQLITE_OK;
}
static int hato_page_close(sqlite3_vtab_cursor *c) { sqlite3_free(c); return SQLITE_OK; }
static hato_ahead *hato_page_ahead(sqlite3_vtab_cursor *c) { return ((hato_page_table *)(void *)c->pVtab)->ahead; }
static int hato_page_filter(sqlite3_vtab_cursor *c, int n, const char *s, int k, sqlite3_value **v) {
    (void)n; (void)s; (void)k; (void)v;
    ((hato_page_cursor *)(void *)c)->at = 0;
    return SQLITE_OK;
}
static int hato_page_next(sqlite3_vtab_cursor *c) {
    if (++((hato_page_cursor *)(void *)c)->at < HATO_AHEAD_ROOM) hato_ahead_tick(hato_page_ahead(c));
    return SQLITE_OK;
}
static int hato_page_eof(sqlite3_vtab_cursor *c) { return ((hato_page_cursor *)(void *)c)->at >= hato_page_ahead(c)->count; }
static int hato_page_column(sqlite3_vtab_cursor *c, sqlite3_context *x, int i) {
    (void)i;
    sqlite3_result_int64(x, hato_page_ahead(c)->rows[((hato_page_cursor *)(void *)c)->at]);
    return SQLITE_OK;
}
static int hato_page_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *r) { *r = ((hato_page_cursor *)(void *)c)->at; return SQLITE_OK; }
static const sqlite3_module hato_page_module = {
    .xConnect = hato_page_connect, .xBestIndex = hato_page_best, .xDisconnect = hato_page_disconnect,
    .xOpen = hato_page_open, .xClose = hato_page_close, .xFilter = hato_page_filter, .xNext = hato_page_next,
    .xEof = hato_page_eof, .xColumn = hato_page_column, .xRowid = hato_page_rowid,
};
static inline int hato_ahead_register(hato_ahead *a, sqlite3 *db) {
    return sqlite3_create_module(db, "hato_page", &hato_page_module, a);
}
