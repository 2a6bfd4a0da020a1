#pragma once
#define _GNU_SOURCE 1
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// What a scan looks for in every document. Its bytes are the owner's, and so is the time for which
// they stay.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    // Two places of the needle that are looked at first: those of two bytes that few documents have.
    size_t first, second;
    // Documents without it.
    int64_t misses;
} hato_needle;

// Every string ends with a quote, and begins with its field's name, which all documents have: the
// last two bytes that are no quotes tell most.
static inline void hato_needle_set(hato_needle *needle, const void *bytes, size_t count) {
    needle->bytes = (const uint8_t *)bytes;
    needle->count = count;
    needle->misses = 0;
    size_t places[2] = {0, 0};
    int found = 0;
    for (size_t place = count; place > 0 && found < 2; place--) {
        if (needle->bytes[place - 1] != '"') places[found++] = place - 1;
    }
    needle->second = places[0];
    needle->first = found == 2 ? places[1] : places[0];
}

static inline int hato_needle_is_in(const hato_needle *needle, const uint8_t *bytes, size_t count) {
    if (needle->count > count) return 0;
#if defined(__SSE2__)
    // memmem(3) prepares a table for each document, which costs more than to look at all of it.
    if (needle->count > 0 && count >= needle->second + 16) {
        const __m128i first = _mm_set1_epi8((char)needle->bytes[needle->first]);
        const __m128i second = _mm_set1_epi8((char)needle->bytes[needle->second]);
        const size_t last = count - needle->count;
        const size_t last_block = count - needle->second - 16;
        for (size_t block = 0;;) {
            const uint8_t *at = bytes + block;
            const __m128i firsts = _mm_loadu_si128((const __m128i *)(const void *)(at + needle->first));
            const __m128i seconds = _mm_loadu_si128((const __m128i *)(const void *)(at + needle->second));
            unsigned hits = (unsigned)_mm_movemask_epi8(
                _mm_and_si128(_mm_cmpeq_epi8(firsts, first), _mm_cmpeq_epi8(seconds, second)));
            for (; hits != 0; hits &= hits - 1) {
                const size_t place = block + (size_t)__builtin_ctz(hits);
                if (place > last) break;
                if (memcmp(bytes + place, needle->bytes, needle->count) == 0) return 1;
            }
            if (block >= last_block) return 0;
            block = block + 16 < last_block ? block + 16 : last_block;
        }
    }
#endif
    return memmem(bytes, count, needle->bytes, needle->count) != NULL;
}

// The SQL function hato_contains(doc); its user data is the needle.
static inline void hato_sqlite_contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    hato_needle *needle = (hato_needle *)sqlite3_user_data(context);
    const uint8_t *bytes = (const uint8_t *)sqlite3_value_blob(arguments[0]);
    const int is_in = bytes != NULL && hato_needle_is_in(needle, bytes, (size_t)sqlite3_value_bytes(arguments[0]));
    needle->misses += !is_in;
    sqlite3_result_int(context, is_in);
}
