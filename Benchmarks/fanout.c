// Members of WebSocket channels: sends messages to the channels and looks at every delivery.
//
// usage: fanout PORT MEMBERS CHANNELS MEMBER_TARGET [PUBLISHER_TARGET]
//   MEMBERS           of each channel
//   MEMBER_TARGET     what a member asks for; # stands for the channel's number
//   PUBLISHER_TARGET  one connection more for each channel publishes. Without it the channel's first member speaks,
//                     and the others hear it
// Prints a line when all are connected, then takes commands on standard input, a line each, and answers each with one JSON
// object. Ends with standard input, or after a delivery was lost.
//   window COUNT SECONDS   so many messages of each channel are in flight: the next is sent when every member has the
//                          oldest. What a turn of this program's loop allows goes out by one write
//   single COUNT SECONDS   the same, each message by a write of its own
//   rate COUNT SECONDS     so many messages a second in all, the channels in turn. Latency counts from when a message was due
//
// The text of a message follows from its channel and its number. A delivery is right when it is the text that was sent and
// has the number that its member waits for; what is older or a second time there is `disordered`, what nobody sent `wrong`.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// `max_in_flight` is a power of two; a part of a frame that waits for its rest is never longer than `max_rest`.
enum { message_bytes = 200, max_in_flight = 128, max_rest = 1024, max_latency = 1 << 20, stall_seconds = 10,
       frame_bytes = message_bytes + 8, max_connections = 60000 };

static const char opening[] = "{\"event\":\"message\",\"data\":\"";

struct message { char text[message_bytes]; double sent; int waiting; };

// Messages before `oldest` have reached everybody, `next` is the one to be sent.
struct channel { struct connection *publisher; int listeners; long oldest, next; struct message in_flight[max_in_flight]; };

struct connection { int descriptor, is_member, rest_count; struct channel *channel; long next; char *rest; };

static struct channel *channels;
static struct connection *connections;
static int channel_count, connection_count, port, events_of;
static long sent, deliveries, expected, disordered, wrong, closed, pings;
static unsigned latency[max_latency];
static double last_delivery, slowest;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double own_cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static void fail(const char *what) {
    fprintf(stderr, "fanout: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_text(char *text, long channel, long number) {
    int length = snprintf(text, message_bytes, "%s%05ld:%012ld:", opening, channel, number);
    unsigned state = (unsigned)(channel * 7919 + number) * 2654435761u + 1;
    while (length < message_bytes - 2) {
        state = state * 1664525u + 1013904223u;
        text[length++] = (char)('a' + (state >> 24) % 26);
    }
    memcpy(text + length, "\"}", 2);
}

// Sending

static void send_whole(struct connection *connection, const char *bytes, size_t count) {
    while (count) {
        ssize_t taken = send(connection->descriptor, bytes, count, MSG_NOSIGNAL);
        if (taken < 0 && errno == EAGAIN) {
            struct pollfd writable = {.fd = connection->descriptor, .events = POLLOUT};
            if (poll(&writable, 1, stall_seconds * 1000) != 1) fail("nobody reads what is published");
            continue;
        }
        if (taken < 0) fail("send");
        bytes += taken;
        count -= (size_t)taken;
    }
}

// Writes a client's frame of at most 65,535 bytes and returns its length.
static size_t write_frame(char *out, int opcode, const char *payload, size_t count) {
    static const unsigned char mask[4] = {0x9d, 0x27, 0x5a, 0xc1};
    size_t at = 0;
    out[at++] = (char)(0x80 | opcode);
    if (count < 126) {
        out[at++] = (char)(0x80 | count);
    } else {
        out[at++] = (char)(0x80 | 126);
        out[at++] = (char)(count >> 8);
        out[at++] = (char)(count & 255);
    }
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < count; i++) out[at + i] = (char)((unsigned char)payload[i] ^ mask[i & 3]);
    return at + count;
}

// Makes the channel's next message and appends its frame. Returns the frame's length.
static size_t next_message(struct channel *channel, char *out, double time) {
    struct message *message = &channel->in_flight[channel->next & (max_in_flight - 1)];
    write_text(message->text, channel - channels, channel->next++);
    message->sent = time;
    message->waiting = channel->listeners;
    expected += channel->listeners;
    sent++;
    return write_frame(out, 1, message->text, message_bytes);
}

static void fill_window(struct channel *channel, long window, int is_single) {
    static char out[max_in_flight * frame_bytes];
    double time = now();
    while (channel->next - channel->oldest < window) {
        size_t length = 0;
        do length += next_message(channel, out + length, time);
        while (!is_single && channel->next - channel->oldest < window);
        send_whole(channel->publisher, out, length);
    }
}

// Receiving

static void take_message(struct connection *connection, const char *text, size_t count, double time) {
    struct channel *channel = connection->channel;
    if (!connection->is_member) return;  // what a server answers to its publisher
    size_t digits = sizeof opening - 1;
    long number = count == message_bytes ? strtol(text + digits + 6, NULL, 10) : -1;
    struct message *message = &channel->in_flight[number & (max_in_flight - 1)];
    if (channel->publisher == connection || number < 0 || number >= channel->next || number < channel->next - max_in_flight
        || memcmp(text, message->text, message_bytes)) {
        wrong++;
        return;
    }
    if (number < connection->next) {
        disordered++;
        return;
    }
    connection->next = number + 1;
    deliveries++;
    last_delivery = time;
    double waited = time - message->sent;
    if (waited > slowest) slowest = waited;
    int microseconds = waited * 1e6 < max_latency - 1 ? (int)(waited * 1e6) : max_latency - 1;
    latency[microseconds < 0 ? 0 : microseconds]++;
    message->waiting--;
    while (channel->oldest < channel->next && !channel->in_flight[channel->oldest & (max_in_flight - 1)].waiting) {
        channel->oldest++;
    }
}

// Takes the whole frames and returns how many bytes they had.
static size_t take_frames(struct connection *connection, const char *bytes, size_t count, double time) {
    size_t at = 0;
    while (count - at >= 2) {
        const unsigned char *head = (const unsigned char *)bytes + at;
        size_t size = head[1] & 127, start = 2;
        if (size == 126) {
            if (count - at < 4) break;
            size = (size_t)head[2] << 8 | head[3];
            start = 4;
        }
        if (head[1] > 126 || !(head[0] & 0x80)) {
            fprintf(stderr, "fanout: a frame that no server here sends: %02x %02x\n", head[0], head[1]);
            exit(1);
        }
        if (count - at < start + size) break;
        const char *payload = bytes + at + start;
        int opcode = head[0] & 15;
        if (opcode == 1) {
            take_message(connection, payload, size, time);
        } else if (opcode == 9) {
            char pong[140];
            send_whole(connection, pong, write_frame(pong, 10, payload, size));
            pings++;
        } else if (opcode != 8) {
            wrong++;
        }
        at += start + size;
    }
    return at;
}

static void keep_rest(struct connection *connection, const char *bytes, size_t count) {
    if (count > max_rest) {
        fprintf(stderr, "fanout: a frame is longer than any that was sent\n");
        exit(1);
    }
    if (count && !connection->rest && !(connection->rest = malloc(max_rest))) fail("memory");
    if (count) memcpy(connection->rest, bytes, count);
    connection->rest_count = (int)count;
}

static void receive(struct connection *connection) {
    static char bytes[max_rest + (1 << 18)];
    size_t have = (size_t)connection->rest_count;
    if (have) memcpy(bytes, connection->rest, have);
    ssize_t count = recv(connection->descriptor, bytes + have, sizeof bytes - have, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        epoll_ctl(events_of, EPOLL_CTL_DEL, connection->descriptor, NULL);
        closed++;
        return;
    }
    have += (size_t)count;
    size_t taken = take_frames(connection, bytes, have, now());
    keep_rest(connection, bytes + taken, have - taken);
}

// Connecting

static void open_socket(struct connection *connection) {
    int on = 1;
    struct linger reset = {.l_onoff = 1};  // the next run needs these ports at once
    struct timeval patience = {.tv_sec = stall_seconds};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0 || connect(connection->descriptor, (void *)&address, sizeof address)) fail("connect");
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(connection->descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    setsockopt(connection->descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

// Opens a WebSocket; the key and what answers it are the example of RFC 6455 1.3.
static void join(struct connection *connection, struct channel *channel, const char *target, int is_member) {
    char head[4096];
    const char *mark = strchr(target, '#');
    int before = mark ? (int)(mark - target) : (int)strlen(target);
    int length = snprintf(head, sizeof head, "GET %.*s", before, target);
    if (mark) length += snprintf(head + length, sizeof head - (size_t)length, "%d%s", (int)(channel - channels), mark + 1);
    length += snprintf(head + length, sizeof head - (size_t)length,
                       " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", port);
    *connection = (struct connection){.channel = channel, .is_member = is_member};
    open_socket(connection);
    send_whole(connection, head, (size_t)length);
    char answer[max_rest + 1], *end = NULL;
    size_t have = 0;
    while (!end) {
        ssize_t count = recv(connection->descriptor, answer + have, max_rest - have, 0);
        if (count <= 0) fail("no answer to a handshake");
        have += (size_t)count;
        answer[have] = 0;
        end = strstr(answer, "\r\n\r\n");
    }
    if (strncmp(answer, "HTTP/1.1 101 ", 13) || !strstr(answer, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")) {
        fprintf(stderr, "fanout: a handshake was answered: %s\n", answer);
        exit(1);
    }
    end += 4;
    keep_rest(connection, end, have - (size_t)(end - answer));
    fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(events_of, EPOLL_CTL_ADD, connection->descriptor, &wanted)) fail("epoll_ctl");
}

static void join_all(int members, const char *member_target, const char *publisher_target) {
    struct connection *next = connections;
    for (struct channel *channel = channels; channel < channels + channel_count; channel++) {
        channel->listeners = publisher_target ? members : members - 1;
        channel->publisher = next;
        if (publisher_target) join(next++, channel, publisher_target, 0);
        for (int i = 0; i < members; i++) join(next++, channel, member_target, 1);
    }
}

// Commands

// Waits until something came or the time is over; a negative time is without end. Returns 1 when a command is there.
static int turn(double seconds) {
    static struct epoll_event events[512];
    struct timespec timeout = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int has_command = 0, ready = epoll_pwait2(events_of, events, 512, seconds < 0 ? NULL : &timeout, NULL);
    if (ready < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < ready; i++) {
        if (events[i].data.ptr) receive(events[i].data.ptr);
        else has_command = 1;
    }
    return has_command;
}

static void keep_window(long window, int is_single, double stop) {
    for (double time = now(); deliveries < expected || time < stop; time = now()) {
        for (int i = 0; time < stop && i < channel_count; i++) fill_window(&channels[i], window, is_single);
        if (now() - last_delivery > stall_seconds) return;
        turn(1);
    }
}

static void keep_rate(double rate, double seconds) {
    double began = now();
    for (long due = 0, all = (long)(rate * seconds); due < all || deliveries < expected;) {
        double time = now(), at = began + (double)due / rate;
        if (due < all && time >= at) {
            char out[frame_bytes];
            struct channel *channel = &channels[due++ % channel_count];
            if (channel->next - channel->oldest == max_in_flight) return;  // something was lost
            send_whole(channel->publisher, out, next_message(channel, out, at));
            continue;
        }
        if (time - last_delivery > stall_seconds) return;
        turn(due < all ? at - time : 1);
    }
}

static unsigned percentile(double part) {
    double rest = part * (double)deliveries;
    for (unsigned at = 0; at < max_latency; at++) {
        rest -= latency[at];
        if (rest <= 0) return at;
    }
    return max_latency;
}

// Does what the line says and prints the figures. Returns 0 when a delivery is missing: what comes late would be in the next ones.
static int obey(const char *line) {
    char verb[16];
    double count, seconds;
    if (sscanf(line, "%15s %lf %lf", verb, &count, &seconds) != 3 || count <= 0 || seconds < 0) {
        fprintf(stderr, "fanout: no command: %s\n", line);
        exit(2);
    }
    memset(latency, 0, sizeof latency);
    sent = deliveries = expected = disordered = wrong = pings = 0;
    slowest = 0;
    double cpu = own_cpu(), began = last_delivery = now();
    int is_single = !strcmp(verb, "single");
    if ((is_single || !strcmp(verb, "window")) && count < max_in_flight) keep_window((long)count, is_single, began + seconds);
    else if (!strcmp(verb, "rate")) keep_rate(count, seconds);
    else { fprintf(stderr, "fanout: no command: %s\n", line); exit(2); }
    double took = now() - began;
    printf("{\"messages\":%ld,\"deliveries\":%ld,\"lost\":%ld,\"disordered\":%ld,\"wrong\":%ld,\"closed\":%ld,\"pings\":%ld,"
           "\"seconds\":%.4f,\"load_cpu\":%.4f,\"p50_us\":%u,\"p99_us\":%u,\"max_us\":%.0f}\n", sent, deliveries,
           expected - deliveries, disordered, wrong, closed, pings, took, own_cpu() - cpu, percentile(0.5), percentile(0.99),
           slowest * 1e6);
    fflush(stdout);
    return deliveries == expected;
}

int main(int count, char **arguments) {
    int members = count > 2 ? atoi(arguments[2]) : 0;
    channel_count = count > 3 ? atoi(arguments[3]) : 0;
    long wanted = (long)channel_count * (members + (count == 6));
    if (count < 5 || count > 6 || members < 2 || channel_count < 1 || wanted > max_connections) {
        fprintf(stderr, "usage: fanout PORT MEMBERS CHANNELS MEMBER_TARGET [PUBLISHER_TARGET]\n");
        return 2;
    }
    port = atoi(arguments[1]);
    connection_count = (int)wanted;
    struct rlimit descriptors;
    if (!getrlimit(RLIMIT_NOFILE, &descriptors)) {
        descriptors.rlim_cur = descriptors.rlim_max;
        setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    channels = calloc((size_t)channel_count, sizeof *channels);
    connections = calloc((size_t)connection_count, sizeof *connections);
    if (!channels || !connections) fail("memory");
    events_of = epoll_create1(EPOLL_CLOEXEC);
    double began = now();
    join_all(members, arguments[4], count == 6 ? arguments[5] : NULL);
    printf("{\"connections\":%d,\"seconds\":%.2f}\n", connection_count, now() - began);
    fflush(stdout);
    struct epoll_event commands = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(events_of, EPOLL_CTL_ADD, STDIN_FILENO, &commands)) fail("standard input");
    setvbuf(stdin, NULL, _IONBF, 0);  // what stdio had read ahead, epoll would not tell
    char line[128];
    for (;;) {
        if (!turn(-1)) continue;
        if (!fgets(line, sizeof line, stdin)) return 0;
        // A run is not woken by the next command.
        epoll_ctl(events_of, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
        if (!obey(line)) return 1;
        epoll_ctl(events_of, EPOLL_CTL_ADD, STDIN_FILENO, &commands);
    }
}
