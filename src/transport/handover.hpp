// transport/handover.hpp: file descriptors from each process of a node to each other one, over a
// socket without a file.
//
//   DescriptorSocket socket;                    // bound to an abstract name that nobody can guess
//   if (int error = socket.open()) ...
//   ... everybody tells everybody socket.name() ...
//   std::vector<ReceivedFile> files = socket.exchange(me, peers, file.get(), timeout_ms);
//
// A datagram is taken only if the kernel says that it comes from the process that announced itself (SO_PASSCRED) and if it
// carries the key that process announced; descriptors in any other are closed unseen. The name vanishes with the socket.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/region.hpp"

namespace heddle::transport {

using Secret = std::array<std::uint64_t, 2>;

/// Bits that nobody can guess; all zero if the kernel gives none.
Secret random_secret() noexcept;

/// What is known of a peer before the exchange.
struct FilePeer {
  bool expected = false;  ///< A descriptor goes to it and one comes from it.
  Secret name{};          ///< Of its socket.
  Secret key{};           ///< What its datagram must carry.
  uid_t user = 0;         ///< Who must have sent it, as the kernel sees it from here.
  pid_t process = 0;      ///< 0: it lives in another pid namespace, and any process of that user with the key will do.
};

/// What came from a peer.
struct ReceivedFile {
  Descriptor descriptor;
  pid_t process = 0;  ///< As the kernel sees it from here; 0: not visible from here.
  int error = 0;  ///< ETIMEDOUT, ECONNREFUSED, EMFILE (none left here to take the descriptor with), EACCES (an impostor), ...
};

class DescriptorSocket {
 public:
  /// 0 or errno.
  int open() noexcept;
  [[nodiscard]] const Secret& name() const noexcept { return name_; }

  /// Sends `file` to every expected peer and takes one from each, both interleaved: a queue holds about ten datagrams, and
  /// who only sends waits for ever. Returns when all are through, refused, or `timeout_ms` has passed. Result: by peer.
  std::vector<ReceivedFile> exchange(int me, const Secret& key, std::span<const FilePeer> peers, int file, int timeout_ms);

 private:
  Secret name_{};
  Descriptor socket_;
};

}  // namespace heddle::transport
