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

// A request of rtnetlink(7): a header, what the request is about, and its attributes.
struct request {
    struct nlmsghdr header;
    char rest[512];
};

static struct request request_of(unsigned short type, const void *subject, size_t size) {
    struct request request = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(size),
            .nlmsg_type = type,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK,
        },
    };
    memcpy(NLMSG_DATA(&request.header), subject, size);
    return request;
}

static struct rtattr *append(struct request *request, unsigned short type, const void *value, size_t size) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(size);
    if (size > 0) memcpy(RTA_DATA(attribute), value, size);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

static int carry_out(const struct request *request) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct { struct nlmsghdr header; struct nlmsgerr error; char rest[512]; } answer;
    int number = 0;
    if (send(fd, request, request->header.nlmsg_len, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0) {
        number = errno;
    } else {
        number = -answer.error.error;
    }
    close(fd);
    errno = number;
    return number == 0 ? 0 : -1;
}

int line_set_up(const char *device, uint32_t queue_length) {
    unsigned index = if_nametoindex(device);
    if (index == 0) return -1;
    struct ifinfomsg link = {
        .ifi_family = AF_UNSPEC,
        .ifi_index = (int)index,
        .ifi_flags = IFF_UP,
        .ifi_change = IFF_UP,
    };
    struct request request = request_of(RTM_NEWLINK, &link, sizeof link);
    append(&request, IFLA_TXQLEN, &queue_length, sizeof queue_length);
    return carry_out(&request);
}

int line_add_route(const char *device, uint32_t network, int prefix, const char *congestion_control) {
    unsigned index = if_nametoindex(device);
    if (index == 0) return -1;
    struct rtmsg route = {
        .rtm_family = AF_INET,
        .rtm_dst_len = (unsigned char)prefix,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_protocol = RTPROT_STATIC,
        .rtm_scope = RT_SCOPE_LINK,
        .rtm_type = RTN_UNICAST,
    };
    struct request request = request_of(RTM_NEWROUTE, &route, sizeof route);
    uint32_t destination = htonl(network);
    append(&request, RTA_DST, &destination, sizeof destination);
    append(&request, RTA_OIF, &index, sizeof index);
    struct rtattr *metrics = append(&request, RTA_METRICS, NULL, 0);
    append(&request, RTAX_CC_ALGO, congestion_control, strlen(congestion_control) + 1);
    metrics->rta_len = (unsigned short)((char *)&request + request.header.nlmsg_len - (char *)metrics);
    return carry_out(&request);
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
