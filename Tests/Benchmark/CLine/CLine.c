#define _GNU_SOURCE
#include "CLine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

int line_unshare_user(void) { return unshare(CLONE_NEWUSER); }

int line_unshare_network(void) { return unshare(CLONE_NEWNET); }

int line_join_user(int fd) { return setns(fd, CLONE_NEWUSER); }

int line_join_network(int fd) { return setns(fd, CLONE_NEWNET); }

static struct ifreq request_for(const char *device) {
    struct ifreq request = {0};
    strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    return request;
}

static int control(unsigned long code, struct ifreq *request) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    int result = ioctl(fd, code, request);
    int number = errno;
    close(fd);
    errno = number;
    return result;
}

int line_attach(int tun, const char *device) {
    struct ifreq request = request_for(device);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    return ioctl(tun, TUNSETIFF, &request);
}

int line_set_address(const char *device, uint32_t address) {
    struct ifreq request = request_for(device);
    struct sockaddr_in value = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(&request.ifr_addr, &value, sizeof value);
    return control(SIOCSIFADDR, &request);
}

// What rtnetlink(7) reads: a route, and after it its attributes.
struct route_message {
    struct nlmsghdr header;
    struct rtmsg route;
    char attributes[256];
};

static struct rtattr *append(struct route_message *message, unsigned short type, const void *value, size_t size) {
    struct rtattr *attribute = (struct rtattr *)((char *)message + NLMSG_ALIGN(message->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(size);
    if (size > 0) memcpy(RTA_DATA(attribute), value, size);
    message->header.nlmsg_len = NLMSG_ALIGN(message->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

static int send_route(int fd, const struct route_message *message) {
    struct { struct nlmsghdr header; struct nlmsgerr error; char rest[512]; } answer;
    if (send(fd, message, message->header.nlmsg_len, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0) return -1;
    errno = -answer.error.error;
    return errno == 0 ? 0 : -1;
}

int line_add_route(const char *device, uint32_t network, int prefix, const char *congestion_control) {
    unsigned index = if_nametoindex(device);
    if (index == 0) return -1;
    struct route_message message = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
            .nlmsg_type = RTM_NEWROUTE,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK,
        },
        .route = {
            .rtm_family = AF_INET,
            .rtm_dst_len = (unsigned char)prefix,
            .rtm_table = RT_TABLE_MAIN,
            .rtm_protocol = RTPROT_STATIC,
            .rtm_scope = RT_SCOPE_LINK,
            .rtm_type = RTN_UNICAST,
        },
    };
    uint32_t destination = htonl(network);
    append(&message, RTA_DST, &destination, sizeof destination);
    append(&message, RTA_OIF, &index, sizeof index);
    struct rtattr *metrics = append(&message, RTA_METRICS, NULL, 0);
    append(&message, RTAX_CC_ALGO, congestion_control, strlen(congestion_control) + 1);
    metrics->rta_len = (unsigned short)((char *)&message + message.header.nlmsg_len - (char *)metrics);

    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -1;
    int result = send_route(fd, &message);
    int number = errno;
    close(fd);
    errno = number;
    return result;
}

int line_set_up(const char *device, int queue_length) {
    struct ifreq request = request_for(device);
    request.ifr_qlen = queue_length;
    if (control(SIOCSIFTXQLEN, &request) != 0) return -1;
    request = request_for(device);
    if (control(SIOCGIFFLAGS, &request) != 0) return -1;
    request.ifr_flags |= IFF_UP | IFF_RUNNING;
    return control(SIOCSIFFLAGS, &request);
}

int line_poll(struct pollfd *polled, unsigned long count, const struct timespec *timeout) {
    return ppoll(polled, count, timeout, NULL);
}

int line_termination(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
