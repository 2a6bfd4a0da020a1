#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int hato_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

pid_t hato_gettid(void) { return (pid_t)syscall(SYS_gettid); }

const void *hato_memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length) {
    return memmem(haystack, haystack_length, needle, needle_length);
}

int hato_open_directory(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int hato_lock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

int64_t hato_resident_bytes(void) {
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return -1;
    int got = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    return got == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : -1;
}
