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
/// recv(2) without flags and send(2) with MSG_NOSIGNAL, as bare system calls: glibc's are cancellation
/// points, which costs a threaded process two atomic exchanges a call. -1 with errno.
ssize_t hato_receive(int descriptor, void *buffer, size_t count);
ssize_t hato_send(int descriptor, const void *bytes, size_t count);
int hato_open_directory(const char *path);
/// flock(2) LOCK_EX | LOCK_NB: 0, or -1 with errno.
int hato_lock_exclusive(int descriptor);
/// Gives up a lock that hato_lock_exclusive took.
int hato_unlock(int descriptor);
/// Gives large blocks back to the kernel when they are freed: see the source.
void hato_return_large_blocks(void);
/// Resident bytes of this process, or -1.
int64_t hato_resident_bytes(void);
/// The value this thread was marked with by hato_mark_thread, or null. A thread-local read behind a
/// call that the compiler cannot fold: unlike pthread_self it is asked again after an await.
const void *hato_thread_mark(void);
void hato_mark_thread(const void *mark);
/// Names the calling thread (at most 15 bytes) for ps and perf.
void hato_name_thread(const char *name);
/// Has the calling thread leave the processor to others, by so much above the usual niceness; there
/// is no way back without a privilege.
void hato_lower_thread_priority(int niceness);
/// Raises RLIMIT_NOFILE to its hard limit; returns the limit now in force.
int64_t hato_raise_descriptor_limit(void);
/// Blocks SIGTERM and SIGINT, and SIGHUP if `with_hangup`, in the calling thread and in every thread it starts later.
int hato_block_termination_signals(int with_hangup);
/// Waits for those that were blocked so and returns the signal's number; 0 when none
/// came within `milliseconds`, of which -1 is for ever.
int hato_wait_termination_signal(int milliseconds);
/// Keeps a page of a mapped database file that cannot be read from ending the process, where a thread
/// says that it is prepared: see MapFaults.c. Once a process.
void hato_prepare_map_faults(void);
/// What this thread reads from maps until hato_end_map_reads may turn out to be zeros.
void hato_begin_map_reads(void);
/// Whether it did: then all that was read is worth nothing.
int hato_end_map_reads(void);
/// Makes SIGTERM and SIGINT end the process with 1 at once, and unblocks them in the calling thread.
int hato_exit_at_termination_signal(void);

#endif
