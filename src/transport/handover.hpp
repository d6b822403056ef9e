// transport/handover.hpp: sends a file descriptor from each process of a node to each other
// process, over a socket that has no file.
//
//   DescriptorSocket socket;                    // bound to an abstract name that cannot be guessed
//   if (int error = socket.open()) ...
//   ... all processes exchange socket.name() ...
//   std::vector<ReceivedFile> files = socket.exchange(me, peers, file.get(), timeout_ms);
//
// A process announces itself and a key beforehand. A datagram is taken only if it carries the key
// and if the kernel confirms that it comes from the announced process (SO_PASSCRED). Descriptors in
// other datagrams are closed. The name vanishes with the socket.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/region.hpp"

namespace heddle::transport {

using Secret = std::array<std::uint64_t, 2>;

/// Random bits for secrets; all zero if the kernel gives none.
Secret random_secret() noexcept;

/// A peer, as known before the exchange.
struct FilePeer {
  bool expected = false;  ///< It takes part: a descriptor goes to it and one comes from it.
  Secret name{};          ///< Name of its socket.
  Secret key{};           ///< Key that its datagram must carry.
  uid_t user = 0;         ///< User that must have sent the datagram, as the kernel sees it from here.
  pid_t process = 0;      ///< 0: it is in another pid namespace, and any process of that user with the key will do.
};

/// The result for one peer.
struct ReceivedFile {
  Descriptor descriptor;
  pid_t process = 0;  ///< Its number as the kernel sees it from here; 0: not visible from here.
  int error = 0;  ///< ETIMEDOUT, ECONNREFUSED, EMFILE (this process can open no more descriptors), EACCES (an impostor), ...
};

class DescriptorSocket {
 public:
  /// 0 or errno.
  int open() noexcept;
  [[nodiscard]] const Secret& name() const noexcept { return name_; }

  /// Sends `file` to every expected peer and takes one descriptor from each. It takes while it
  /// sends: a queue holds about ten datagrams, and a process that only sends would wait for ever.
  /// Returns when each peer is done or has failed, or after `timeout_ms`. The results are ordered
  /// by peer.
  std::vector<ReceivedFile> exchange(int me, const Secret& key, std::span<const FilePeer> peers, int file, int timeout_ms);

 private:
  Secret name_{};
  Descriptor socket_;
};

}  // namespace heddle::transport
