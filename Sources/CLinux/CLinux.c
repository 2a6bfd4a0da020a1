#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int hato_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t hato_receive(int descriptor, void *buffer, size_t count) {
    return syscall(SYS_recvfrom, descriptor, buffer, count, 0, NULL, NULL);
}

ssize_t hato_send(int descriptor, const void *bytes, size_t count) {
    return syscall(SYS_sendto, descriptor, bytes, count, MSG_NOSIGNAL, NULL, 0);
}

// By default glibc raises the size from which it maps blocks of their own to that of the largest one
// freed, up to 32 MB: a few large answers then stay in its heaps for ever. A fixed size keeps them out.
void hato_return_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 512 * 1024);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

int hato_open_directory(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int hato_lock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

int hato_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }

int64_t hato_resident_bytes(void) {
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return -1;
    int got = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    return got == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : -1;
}

static _Thread_local const void *thread_mark;

const void *hato_thread_mark(void) { return thread_mark; }

void hato_mark_thread(const void *mark) { thread_mark = mark; }

void hato_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void hato_lower_thread_priority(int niceness) {
    // Linux counts niceness for each thread. One that stays as it was is no failure.
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness);
}

int64_t hato_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    }
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_cur;
}

static void termination_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
}

int hato_block_termination_signals(int with_hangup) {
    sigset_t set;
    termination_signals(&set);
    if (with_hangup) sigaddset(&set, SIGHUP);
    return pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int hato_wait_termination_signal(int milliseconds) {
    sigset_t set;
    sigset_t blocked;
    termination_signals(&set);
    // Where it is not blocked it goes on to end the process.
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGHUP) == 1)
        sigaddset(&set, SIGHUP);
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (1) {
        int signal = sigtimedwait(&set, NULL, milliseconds < 0 ? NULL : &time);
        if (signal > 0) return signal;
        if (errno == EAGAIN) return 0;
    }
}

static void exit_at_once(int signal) {
    (void)signal;
    _exit(1);
}

int hato_exit_at_termination_signal(void) {
    struct sigaction action = {.sa_handler = exit_at_once};
    sigset_t set;
    termination_signals(&set);
    if (sigaction(SIGTERM, &action, NULL) != 0 || sigaction(SIGINT, &action, NULL) != 0) return -1;
    return pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
