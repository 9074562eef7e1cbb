// The calls of Linux that a line needs and Swift cannot make: they are variadic, or need _GNU_SOURCE.
// Each returns -1 and sets errno when it fails.
#ifndef SPATE_CLINE_H
#define SPATE_CLINE_H

#include <poll.h>
#include <stdint.h>
#include <time.h>

/// `unshare(2)`: moves this process, which must have a single thread, into a new user namespace.
int line_unshare_user(void);

/// `unshare(2)`: moves this process into a new network namespace.
int line_unshare_network(void);

/// `setns(2)`: moves this process into a user namespace, or into a network namespace.
int line_join_user(int fd);
int line_join_network(int fd);

/// Makes an open /dev/net/tun the other end of a new device for IP packets.
int line_attach(int tun, const char *device);

/// Gives a device an address, or an alias of a device such as `line0:1`, in host byte order.
int line_set_address(const char *device, uint32_t address);

/// Brings a device up, with room for this many packets that nobody has read yet. It asks rtnetlink(7): by ioctl(2) only
/// root could give it that room.
int line_set_up(const char *device, uint32_t queue_length);

/// Adds a route to a network through a device, with this congestion control for what is sent there. The setting of a
/// whole namespace would be refused where the machine's default is another one.
int line_add_route(const char *device, uint32_t network, int prefix, const char *congestion_control);

/// `ppoll(2)` with the signal mask as it is. poll(2) waits for whole milliseconds.
int line_poll(struct pollfd *polled, unsigned long count, const struct timespec *timeout);

/// Holds SIGTERM back, and returns a descriptor that can be read once it has come.
int line_termination(void);

#endif
