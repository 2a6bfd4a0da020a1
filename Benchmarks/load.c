// Sends HTTP requests over many connections, one at a time on each, and looks at every answer.
//
// usage: load PORT CONNECTIONS SECONDS REQUESTS HEADERS MARKER [ANSWERS]
//   PORT      tls:PORT sends by TLS and takes every certificate
//   REQUESTS  a file, a request a line: METHOD TAB TARGET TAB STATUS TAB ROWS [TAB BODY]. An answer must
//             have that status and hold MARKER ROWS times; -1: as often as it likes
//   SECONDS   send the lines round and round for so long; 0: each line once; hold: the same, and then keeps the
//             connections until standard input ends
//   HEADERS   lines that end in CRLF, for each request; may be empty
//   ANSWERS   a file for the answers' bodies, one a line
// Prints one JSON object; the first wrong answer goes to standard error. Answers that were under way
// when the time was over are waited for and counted.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { max_connections = 16384, max_latency = 1 << 20, slice_ms = 100, max_slices = 6000, stall_ms = 60000 };

struct line { const char *method, *target, *body; int method_length, target_length, body_length, status; long rows; };

struct connection {
    int descriptor, busy;
    SSL *tls;
    struct line line;
    double sent;
    char *bytes;
    size_t count, room;
};

static struct connection connections[max_connections];
static const char *lines, *lines_end, *next_line;
static const char *headers, *marker;
static int repeats, port;
static double started, stop_sending;
static long answers, wrong_status, wrong_rows, total_bytes, under_way;
static unsigned latency[max_latency];
static unsigned slices[max_slices];
static FILE *bodies;
static SSL_CTX *tls;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

// Takes the next line; 0 when there is none.
static int take(struct line *line) {
    if (next_line >= lines_end) {
        if (!repeats) return 0;
        next_line = lines;
    }
    const char *end = memchr(next_line, '\n', (size_t)(lines_end - next_line));
    if (!end) end = lines_end;
    const char *part[5] = {next_line}, *at = next_line;
    int length[5] = {0}, parts = 0;
    while (parts < 4 && (at = memchr(part[parts], '\t', (size_t)(end - part[parts])))) {
        length[parts] = (int)(at - part[parts]);
        part[++parts] = at + 1;
    }
    length[parts] = (int)(end - part[parts]);
    if (parts < 3) { fprintf(stderr, "load: a line of the requests has too few parts\n"); exit(2); }
    *line = (struct line){part[0], part[1], parts > 3 ? part[4] : "", length[0], length[1], parts > 3 ? length[4] : 0,
                          atoi(part[2]), atol(part[3])};
    next_line = end + 1;
    return 1;
}

static void send_next(struct connection *connection, double time) {
    connection->busy = 0;
    if ((repeats && time >= stop_sending) || !take(&connection->line)) return;
    static char request[1 << 21];
    struct line *line = &connection->line;
    int length = snprintf(request, sizeof request, "%.*s %.*s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s", line->method_length,
                          line->method, line->target_length, line->target, port, headers);
    if (line->body_length) {
        length += snprintf(request + length, sizeof request - (size_t)length,
                           "Content-Type: application/json\r\nContent-Length: %d\r\n", line->body_length);
    }
    length += snprintf(request + length, sizeof request - (size_t)length, "\r\n%.*s", line->body_length, line->body);
    if ((size_t)length >= sizeof request) { fprintf(stderr, "load: a request is too long\n"); exit(2); }
    connection->busy = 1;
    connection->count = 0;
    connection->sent = time;
    under_way++;
    // Small against the socket's buffer; a blocking socket takes it whole.
    if (connection->tls ? SSL_write(connection->tls, request, length) != length
                        : send(connection->descriptor, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send");
}

// Joins the chunks of a body in place. Returns the body's length, or -1 while its end is missing.
static long join_chunks(char *body, size_t count, int join) {
    size_t at = 0, written = 0;
    for (;;) {
        char *end = memmem(body + at, count - at, "\r\n", 2);
        if (!end) return -1;
        size_t length = strtoul(body + at, NULL, 16), start = (size_t)(end - body) + 2;
        if (start + length + 2 > count) return -1;
        if (length == 0) return (long)written;
        if (join) memmove(body + written, body + start, length);
        written += length;
        at = start + length + 2;
    }
}

// Returns the whole answer's body and its length; NULL while the answer is not whole.
static char *whole_body(struct connection *connection, size_t *length) {
    char *bytes = connection->bytes;
    bytes[connection->count] = 0;
    char *head_end = memmem(bytes, connection->count, "\r\n\r\n", 4);
    if (!head_end) return NULL;
    char *body = head_end + 4;
    size_t have = connection->count - (size_t)(body - bytes);
    *head_end = 0;
    char *field = strcasestr(bytes, "\r\nContent-Length:");
    int is_chunked = !field && strcasestr(bytes, "\r\nTransfer-Encoding: chunked") != NULL;
    *head_end = '\r';
    if (is_chunked) {
        if (join_chunks(body, have, 0) < 0) return NULL;
        *length = (size_t)join_chunks(body, have, 1);
        return body;
    }
    *length = field ? strtoul(field + 17, NULL, 10) : 0;
    return have >= *length ? body : NULL;
}

static void look_at(struct connection *connection, char *body, size_t length) {
    struct line *line = &connection->line;
    int status = connection->count > 12 ? atoi(connection->bytes + 9) : 0;
    long rows = 0;
    if (line->rows >= 0 && *marker) {
        size_t size = strlen(marker);
        for (char *at = body; (at = memmem(at, length - (size_t)(at - body), marker, size)); at += size) rows++;
    }
    int is_wrong = status != line->status, is_short = !is_wrong && line->rows >= 0 && rows != line->rows;
    if ((is_wrong || is_short) && wrong_status + wrong_rows == 0) {
        fprintf(stderr, "load: %.*s %.*s: status %d, %ld rows; wanted %d and %ld: %.300s\n", line->method_length,
                line->method, line->target_length, line->target, status, rows, line->status, line->rows, body);
    }
    wrong_status += is_wrong;
    wrong_rows += is_short;
    answers++;
    total_bytes += (long)connection->count;
    if (bodies) { fwrite(body, 1, length, bodies); fputc('\n', bodies); }
}

// recv(2), by TLS where there is TLS.
static ssize_t take_bytes(struct connection *connection, char *room, size_t size) {
    if (!connection->tls) return recv(connection->descriptor, room, size, MSG_DONTWAIT);
    int count = SSL_read(connection->tls, room, (int)size);
    if (count > 0) return count;
    if (SSL_get_error(connection->tls, count) != SSL_ERROR_WANT_READ) return 0;
    errno = EAGAIN;
    return -1;
}

static void receive(struct connection *connection) {
    for (;;) {
        if (connection->room - connection->count < 65536) {
            connection->room = connection->room * 2 + 131072;
            connection->bytes = realloc(connection->bytes, connection->room);
            if (!connection->bytes) fail("memory");
        }
        ssize_t count = take_bytes(connection, connection->bytes + connection->count,
                                   connection->room - connection->count - 1);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) { fprintf(stderr, "load: the server closed a connection\n"); exit(1); }
        connection->count += (size_t)count;
        size_t length;
        char *body = connection->busy ? whole_body(connection, &length) : NULL;
        if (!body) continue;
        look_at(connection, body, length);
        double time = now();
        double microseconds = (time - connection->sent) * 1e6;
        latency[microseconds < max_latency - 1 ? (int)microseconds : max_latency - 1]++;
        int slice = (int)((time - started) * 1000 / slice_ms);
        if (slice < max_slices) slices[slice]++;
        under_way--;
        send_next(connection, time);
        return;
    }
}

static int connect_to_server(void) {
    int on = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (descriptor < 0 || connect(descriptor, (void *)&address, sizeof address)) fail("connect");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

static void begin(struct connection *connection) {
    connection->descriptor = connect_to_server();
    if (!tls) return;
    connection->tls = SSL_new(tls);
    if (!connection->tls || !SSL_set_fd(connection->tls, connection->descriptor) || SSL_connect(connection->tls) != 1) {
        fprintf(stderr, "load: no TLS\n");
        exit(1);
    }
    fcntl(connection->descriptor, F_SETFL, fcntl(connection->descriptor, F_GETFL) | O_NONBLOCK);
}

static unsigned percentile(double part) {
    double rest = part * (double)answers;
    for (unsigned at = 0; at < max_latency; at++) {
        rest -= latency[at];
        if (rest <= 0) return at;
    }
    return max_latency;
}

static void read_requests(const char *path) {
    int file = open(path, O_RDONLY);
    struct stat facts;
    if (file < 0 || fstat(file, &facts)) fail(path);
    lines = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (lines == MAP_FAILED) fail(path);
    next_line = lines;
    lines_end = lines + facts.st_size;
}

int main(int count, char **arguments) {
    int connection_count = count > 2 ? atoi(arguments[2]) : 0;
    if (count < 7 || count > 8 || connection_count < 1 || connection_count > max_connections) {
        fprintf(stderr, "usage: load PORT CONNECTIONS SECONDS REQUESTS HEADERS MARKER [ANSWERS]\n");
        return 2;
    }
    int is_secure = !strncmp(arguments[1], "tls:", 4), holds = !strcmp(arguments[3], "hold");
    port = atoi(arguments[1] + (is_secure ? 4 : 0));
    if (is_secure && !(tls = SSL_CTX_new(TLS_client_method()))) fail("TLS");
    if (tls) SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
    struct rlimit descriptors;
    if (!getrlimit(RLIMIT_NOFILE, &descriptors)) {
        descriptors.rlim_cur = descriptors.rlim_max;
        setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    repeats = atof(arguments[3]) > 0;
    read_requests(arguments[4]);
    headers = arguments[5];
    marker = arguments[6];
    if (count == 8 && !(bodies = fopen(arguments[7], "w"))) fail(arguments[7]);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connection_count; i++) {
        begin(&connections[i]);
        struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = &connections[i]};
        epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].descriptor, &wanted);
    }
    started = now();
    stop_sending = started + atof(arguments[3]);
    for (int i = 0; i < connection_count; i++) send_next(&connections[i], started);
    struct epoll_event events[256];
    while (under_way > 0) {
        int ready = epoll_wait(poll, events, 256, stall_ms);
        if (ready == 0) { fprintf(stderr, "load: no answer in %d ms\n", stall_ms); return 1; }
        for (int i = 0; i < ready; i++) receive(events[i].data.ptr);
    }
    double seconds = now() - started;
    printf("{\"answers\":%ld,\"seconds\":%.4f,\"wrong_status\":%ld,\"wrong_rows\":%ld,\"bytes\":%ld,\"p50_us\":%u,"
           "\"p99_us\":%u,\"per_100_ms\":[", answers, seconds, wrong_status, wrong_rows, total_bytes, percentile(0.5),
           percentile(0.99));
    int last = (int)(seconds * 1000 / slice_ms);
    for (int i = 0; i <= last && i < max_slices; i++) printf(i ? ",%u" : "%u", slices[i]);
    printf("]}\n");
    if (bodies && fclose(bodies)) fail("answers");
    fflush(stdout);
    while (holds && getchar() != EOF) continue;
    return 0;
}
