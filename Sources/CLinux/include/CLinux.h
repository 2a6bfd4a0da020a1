#ifndef HATO_CLINUX_H
#define HATO_CLINUX_H
// What the Glibc module does not show: epoll, eventfd, signalfd, and the GNU-only calls.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

/// accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC; the peer's address is written to `address`.
int hato_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
/// The kernel's id of the calling thread. Never const: the compiler must ask again after an await.
pid_t hato_gettid(void);
const void *hato_memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);
/// A recv that consumes nothing: whether the peer has hung up. Returns the poll events seen.
int hato_open_directory(const char *path);
/// flock(2) LOCK_EX | LOCK_NB: 0, or -1 with errno.
int hato_lock_exclusive(int descriptor);
/// CPU seconds and resident bytes of this process, for /metrics and tests.
int64_t hato_resident_bytes(void);

#endif
