#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A page of a mapped file that the disk does not give is a SIGBUS in whoever touches it. A reader of a
// database says beforehand that it is prepared: it then sees a page of zeros, is told so when it asks,
// and throws away what it read and the map. Anything else that meets the signal ends as it always did.

enum { UNPREPARED, PREPARED, FAILED };
static _Thread_local volatile sig_atomic_t state;
static struct sigaction previous;

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

// Whether the map at `address` is of a file whose name ends with ".db": not the shared memory of a
// write-ahead log, which the whole process uses. Only calls that a signal's handler may make.
static int is_database(uintptr_t address) {
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    // One line: START-END …  PATH
    uintptr_t bounds[2] = {0, 0};
    int bound = 0, is_inside = 0;
    char tail[3] = {0, 0, 0}, buffer[1024];
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            const char c = buffer[i];
            if (c == '\n') {
                if (is_inside) {
                    close(file);
                    return memcmp(tail, ".db", 3) == 0;
                }
                bounds[0] = bounds[1] = 0;
                bound = 0;
            } else if (bound < 2) {
                if (digit(c) >= 0) {
                    bounds[bound] = bounds[bound] << 4 | (uintptr_t)digit(c);
                } else if (++bound == 2) {
                    is_inside = address >= bounds[0] && address < bounds[1];
                }
            }
            tail[0] = tail[1];
            tail[1] = tail[2];
            tail[2] = c;
        }
    }
    close(file);
    return 0;
}

static void on_bus_error(int signal, siginfo_t *info, void *context) {
    (void)context;
    const int error = errno;
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t page = (uintptr_t)info->si_addr & ~(size - 1);
    if (state != UNPREPARED && is_database(page)
        && mmap((void *)page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
        state = FAILED;
    } else {
        // The instruction runs again, and meets what was there before.
        sigaction(signal, &previous, NULL);
    }
    errno = error;
}

static void install(void) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

void hato_prepare_map_faults(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void hato_begin_map_reads(void) { state = PREPARED; }

int hato_end_map_reads(void) {
    const int failed = state == FAILED;
    state = UNPREPARED;
    return failed;
}
