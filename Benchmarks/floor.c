// The least an HTTP server can do: one epoll loop that answers every request head with the same
// bytes. It checks nothing; what Hato's /healthz costs above this is what Hato's checks cost.
// usage: floor PORT BODY_BYTES
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { max_events = 256, max_descriptors = 65536, max_answers = 64 };

static char answer[4096];
static size_t answer_length;
// How much of "\r\n\r\n" the last bytes of a connection were.
static unsigned char matched[max_descriptors];

static void make_answer(int body_bytes) {
    int head = snprintf(answer, sizeof answer,
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                        "Date: Mon, 30 Nov 2026 00:00:00 GMT\r\n\r\n",
                        body_bytes);
    memset(answer + head, ' ', (size_t)body_bytes);
    memcpy(answer + head, "{\"status\":\"ok\"}", 15);
    answer_length = (size_t)(head + body_bytes);
}

static int heads_in(int descriptor, const char *bytes, ssize_t count) {
    static const char end[] = "\r\n\r\n";
    int heads = 0;
    unsigned state = matched[descriptor];
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == end[state]) {
            if (++state == 4) { heads++; state = 0; }
        } else {
            state = bytes[i] == '\r';
        }
    }
    matched[descriptor] = (unsigned char)state;
    return heads;
}

static void serve(int descriptor, char *buffer, size_t size) {
    ssize_t count = recv(descriptor, buffer, size, 0);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        close(descriptor);
        return;
    }
    int heads = heads_in(descriptor, buffer, count);
    static char many[max_answers * 1024];
    size_t length = 0;
    while (heads-- > 0 && length + answer_length <= sizeof many) {
        memcpy(many + length, answer, answer_length);
        length += answer_length;
    }
    if (length) send(descriptor, many, length, MSG_NOSIGNAL);
}

int main(int count, char **arguments) {
    if (count != 3) { fprintf(stderr, "usage: floor PORT BODY_BYTES\n"); return 2; }
    int body_bytes = atoi(arguments[2]);
    if (body_bytes < 15 || body_bytes > 800) { fprintf(stderr, "BODY_BYTES is 15 to 800\n"); return 2; }
    make_answer(body_bytes);
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((unsigned short)atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 1024)) { perror("floor"); return 1; }
    int loop = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener}, events[max_events];
    epoll_ctl(loop, EPOLL_CTL_ADD, listener, &wanted);
    static char buffer[65536];
    for (;;) {
        int ready = epoll_wait(loop, events, max_events, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd != listener) { serve(events[i].data.fd, buffer, sizeof buffer); continue; }
            int client;
            while ((client = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0) {
                if (client >= max_descriptors) { close(client); continue; }
                setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                matched[client] = 0;
                wanted.data.fd = client;
                epoll_ctl(loop, EPOLL_CTL_ADD, client, &wanted);
            }
        }
    }
}
