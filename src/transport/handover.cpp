// transport/handover.cpp: sends and takes descriptors without ever waiting for one peer alone.
#include "transport/handover.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace heddle::transport {
namespace {

using Clock = std::chrono::steady_clock;

struct Datagram {
  std::uint64_t what = 0;
  std::int64_t from = 0;
  Secret key{};
};
constexpr std::uint64_t descriptor_datagram = 0x3165'6c64'6465'68;  // "heddle1"

struct Address {
  sockaddr_un place{};
  socklen_t length = 0;

  explicit Address(const Secret& name) {
    place.sun_family = AF_UNIX;  // sun_path[0] stays 0: an abstract name, in no file system
    const int written = std::snprintf(place.sun_path + 1, sizeof place.sun_path - 1, "heddle-%016llx%016llx",
                                      static_cast<unsigned long long>(name[0]), static_cast<unsigned long long>(name[1]));
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(written));
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&place); }
};

int send_to(int socket, const FilePeer& peer, Datagram datagram, int file) noexcept {
  const Address address(peer.name);
  iovec content{&datagram, sizeof datagram};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(address.get());
  message.msg_namelen = address.length;
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof(int));
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

struct Received {
  Datagram datagram;
  bool whole = false;      ///< The datagram has the right length.
  bool truncated = false;  ///< The kernel dropped descriptors: this process can open no more.
  ucred sender{};          ///< pid 0: unknown.
  Descriptor file;
};

/// False: nothing is there.
bool receive(int socket, Received& got) noexcept {
  iovec content{&got.datagram, sizeof got.datagram};
  // There is room for more descriptors than our datagrams have. So descriptors that a stranger adds
  // arrive here and are closed.
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(8 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0) return false;
  got.whole = length == sizeof got.datagram && (message.msg_flags & MSG_TRUNC) == 0;
  got.truncated = (message.msg_flags & MSG_CTRUNC) != 0;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    if (header->cmsg_type == SCM_CREDENTIALS && header->cmsg_len >= CMSG_LEN(sizeof(ucred)))
      std::memcpy(&got.sender, CMSG_DATA(header), sizeof(ucred));
    if (header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      got.file = Descriptor(fd);  // closes the one before, if any
    }
  }
  return true;
}

bool authentic(const Received& got, const FilePeer& peer) noexcept {
  return got.datagram.key == peer.key && got.sender.uid == peer.user && (peer.process == 0 || got.sender.pid == peer.process);
}

/// One exchange: it knows which peers still need our descriptor and whose descriptors are still
/// missing.
class Exchange {
 public:
  Exchange(int socket, std::span<const FilePeer> peers, Datagram datagram, int file)
      : socket_(socket), peers_(peers), datagram_(datagram), file_(file), files_(peers.size()) {
    for (const FilePeer& peer : peers) {
      to_send_.push_back(peer.expected);
      to_come_.push_back(peer.expected);
    }
  }

  [[nodiscard]] bool sending() const { return std::ranges::find(to_send_, true) != to_send_.end(); }
  [[nodiscard]] bool over() const { return !sending() && std::ranges::find(to_come_, true) == to_come_.end(); }

  void send() noexcept {
    const auto size = static_cast<int>(peers_.size());
    for (int step = 1; step < size; ++step) {  // each process begins with its successor, so that they do not all fill one queue
      const auto peer = static_cast<std::size_t>((datagram_.from + step) % size);
      if (!to_send_[peer]) continue;
      const int error = send_to(socket_, peers_[peer], datagram_, file_);
      // The peer's queue is full, or too many descriptors of this user are under way: try again
      // later.
      if (error == EAGAIN || error == ENOBUFS || error == EINTR || error == ETOOMANYREFS) continue;
      to_send_[peer] = false;
      if (error != 0) refuse(peer, error);
    }
  }

  void take() noexcept {
    Received got;
    while (receive(socket_, got)) {
      sort_in(got);
      got = Received{};
    }
  }

  std::vector<ReceivedFile> result() {
    for (std::size_t peer = 0; peer < peers_.size(); ++peer)
      if ((to_send_[peer] || to_come_[peer]) && files_[peer].error == 0) refuse(peer, ETIMEDOUT);
    return std::move(files_);
  }

 private:
  void refuse(std::size_t peer, int error) noexcept {
    files_[peer].error = error;
    files_[peer].descriptor.close();
    to_come_[peer] = false;
  }

  void sort_in(Received& got) noexcept {
    const std::int64_t from = got.datagram.from;
    if (!got.whole || got.datagram.what != descriptor_datagram || from < 0 || from >= static_cast<std::int64_t>(peers_.size()))
      return;
    const auto peer = static_cast<std::size_t>(from);
    if (!to_come_[peer]) return;
    ReceivedFile& received = files_[peer];
    if (!authentic(got, peers_[peer])) {
      // A wrong sender with the right key is an impostor: report it at once. A sender without the
      // key is a stranger, and the real peer may still come.
      if (got.datagram.key == peers_[peer].key) refuse(peer, EACCES);
      return;
    }
    to_come_[peer] = false;
    received.process = got.sender.pid;
    if (got.file)
      received.descriptor = std::move(got.file);
    else
      received.error = got.truncated ? EMFILE : EBADMSG;
  }

  int socket_;
  std::span<const FilePeer> peers_;
  Datagram datagram_;
  int file_;
  std::vector<bool> to_send_;
  std::vector<bool> to_come_;
  std::vector<ReceivedFile> files_;
};

}  // namespace

Secret random_secret() noexcept {
  Secret secret{};
  if (getrandom(secret.data(), sizeof secret, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof secret)) return secret;
  Descriptor device(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
  if (!device || ::read(device.get(), secret.data(), sizeof secret) != static_cast<ssize_t>(sizeof secret)) return {};
  return secret;
}

int DescriptorSocket::open() noexcept {
  name_ = random_secret();
  if (name_ == Secret{}) return ENOSYS;
  Descriptor fresh(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fresh) return errno;
  const int on = 1;
  if (setsockopt(fresh.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0) return errno;
  const Address address(name_);
  if (bind(fresh.get(), address.get(), address.length) < 0) return errno;
  socket_ = std::move(fresh);
  return 0;
}

std::vector<ReceivedFile> DescriptorSocket::exchange(int me, const Secret& key, std::span<const FilePeer> peers, int file,
                                                     int timeout_ms) {
  Exchange exchange(socket_.get(), peers, {descriptor_datagram, me, key}, file);
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    exchange.send();
    exchange.take();
    if (exchange.over() || Clock::now() >= end) return exchange.result();
    // poll() cannot wait for space in a peer's queue: try again every millisecond.
    pollfd incoming{socket_.get(), POLLIN, 0};
    poll(&incoming, 1, exchange.sending() ? 1 : 20);
  }
}

}  // namespace heddle::transport
