// select/profile.hpp: the costs of moving bytes on a machine. Files: profile_file.hpp.
//
//   const Profile& profile = builtin();
//   profile.pack.at(256) * bytes          // ns to pack blocks of 256 bytes
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "layout/kernel/thresholds.hpp"
#include "select/collective/links.hpp"

namespace heddle::select {

/// ns per byte by the length of a block, at 4, 16, 64, ... 65536 bytes. Between these lengths,
/// linear in the logarithm.
struct Curve {
  static constexpr std::size_t points = 8;
  static constexpr std::array<int, points> lengths = {4, 16, 64, 256, 1024, 4096, 16384, 65536};

  std::array<double, points> ns{};

  [[nodiscard]] double at(double block) const noexcept;
};

/// Costs of messages between two nodes under one MPI library, ns: the library's messages in one
/// piece, and messages over a provider of libfabric (as in select/choose_fabric.hpp).
struct BetweenNodes {
  std::array<char, 24> provider{};  ///< "tcp", with zeros behind. Empty: not measured.
  double message = 0;               ///< A message of the library.
  double byte = 0;                  ///< Each byte of such a message.
  double greeting = 0;              ///< Over the fabric: from the descriptor to the answer.
  double segment = 0;               ///< Over the fabric: the hand-over of a segment.
  double operation = 0;             ///< Over the fabric: an operation.
  double fabric_byte = 0;           ///< Over the fabric: each byte.

  [[nodiscard]] std::string_view name() const noexcept { return provider.data(); }
  /// False: too long.
  bool set_name(std::string_view text) noexcept;
  [[nodiscard]] bool measured() const noexcept { return provider[0] != 0; }
  bool operator==(const BetweenNodes&) const = default;
};

struct Profile {
  // process_vm_readv
  double call = 0;          ///< One call, ns.
  double remote_entry = 0;  ///< Each piece that the call reads from, ns.
  double local_entry = 0;   ///< Each piece that the call writes to, ns.
  double read = 0;          ///< Each byte, ns.

  // Mapped memory
  double line = 0;       ///< A cache line of the other core that lies alone, ns.
  double own_line = 0;   ///< A cache line of our own core that lies alone, ns.
  double fetch = 0;      ///< Each byte of a row of lines that the other core has just written, ns.
  double copy = 0;       ///< Each byte copied in our own memory, ns.
  double handover = 0;   ///< A segment changes hands: a word of one core reaches the other core, ns.
  double handshake = 0;  ///< The descriptor of a message: the receiver's time before the first byte, ns.

  // Kernels, as in BC-SPUP
  Curve pack;        ///< Into slots that the other core has read.
  Curve unpack;      ///< Out of slots that the other core has just written.
  Curve transposed;  ///< Packing if the packed order is not memory order.

  // Kernels for one pass from the sender's mapped buffer, as in direct
  Curve move;             ///< From blocks to blocks.
  Curve move_transposed;  ///< From blocks in another order into one piece.

  // Costs of messages through the MPI library, for the choice of collectives
  Links mpich = mpich_links;
  Links openmpi = openmpi_links;
  // Costs of such messages if blocks have holes of their own length, on both sides. Reports
  // estimate the library's time by them (python/heddle/reported/estimate.py); no choice uses them.
  // 0: not measured.
  Curve mpich_holes{};
  Curve openmpi_holes{};

  // Between nodes
  BetweenNodes mpich_nodes{};
  BetweenNodes openmpi_nodes{};

  layout::kernel::Thresholds kernels;  ///< The sizes at which packing kernels change.
};

/// Measured on a 2-core Zen 5 virtual machine. Heddle uses it if the machine has no profile.
const Profile& builtin() noexcept;

/// The fault in a profile's numbers: "pack at 64 bytes is -1 ns". Empty: none.
std::string absurd(const Profile& profile);

}  // namespace heddle::select
