// select/profile.hpp: what moving bytes costs on a machine. May include: collective/links.hpp,
// layout/kernel/thresholds.hpp. Files: profile_file.hpp.
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

/// ns per byte by the length of a block: at 4, 16, 64, ... 65536 bytes; between these linear in the logarithm.
struct Curve {
  static constexpr std::size_t points = 8;
  static constexpr std::array<int, points> lengths = {4, 16, 64, 256, 1024, 4096, 16384, 65536};

  std::array<double, points> ns{};

  [[nodiscard]] double at(double block) const noexcept;
};

/// What messages between two nodes take under one MPI library, ns: its own in one piece, and those over a provider of libfabric
/// (as select/fabric.hpp counts them).
struct BetweenNodes {
  std::array<char, 24> provider{};  ///< "tcp", with zeros behind; nothing: not measured.
  double message = 0;               ///< One of the library's,
  double byte = 0;                  ///< and each byte of it.
  double greeting = 0;              ///< Over the fabric: from descriptor to answer,
  double segment = 0;               ///< a segment that is handed over,
  double operation = 0;             ///< an operation,
  double fabric_byte = 0;           ///< and each byte.

  [[nodiscard]] std::string_view name() const noexcept { return provider.data(); }
  /// False: too long.
  bool set_name(std::string_view text) noexcept;
  [[nodiscard]] bool measured() const noexcept { return provider[0] != 0; }
  bool operator==(const BetweenNodes&) const = default;
};

struct Profile {
  // process_vm_readv
  double call = 0;          ///< One call, ns.
  double remote_entry = 0;  ///< Each piece it reads from, ns.
  double local_entry = 0;   ///< Each piece it writes to, ns.
  double read = 0;          ///< Each byte, ns.

  // Mapped memory
  double line = 0;       ///< A cache line of the other core that lies alone, ns.
  double own_line = 0;   ///< One of ours that lies alone, ns.
  double fetch = 0;      ///< Each byte of a row of lines that the other core has just written, ns.
  double copy = 0;       ///< Each byte copied in our own memory, ns.
  double handover = 0;   ///< A segment changes hands: what is said by one core is seen by the other, ns.
  double handshake = 0;  ///< The descriptor of a message: what its receiver needs before the first byte, ns.

  // Kernels, as in BC-SPUP
  Curve pack;        ///< Into slots that the other core has read.
  Curve unpack;      ///< Out of slots that the other core has just written.
  Curve transposed;  ///< Packing where the packed order is not that of memory.

  // The same in one pass from the sender's mapped buffer, as in direct
  Curve move;             ///< From blocks to blocks.
  Curve move_transposed;  ///< From blocks in another order into one piece.

  // Messages through the MPI library, by which collectives choose
  Links mpich = mpich_links;
  Links openmpi = openmpi_links;
  // Messages through it whose blocks have holes of their own length between them, on both sides: by these a report says what
  // the library would take (python/heddle/reported/estimate.py); nothing is chosen by them. 0: not measured.
  Curve mpich_holes{};
  Curve openmpi_holes{};

  // Between nodes
  BetweenNodes mpich_nodes{};
  BetweenNodes openmpi_nodes{};

  layout::kernel::Thresholds kernels;  ///< By which packing kernels are chosen.
};

/// Measured on a 2-core Zen 5 virtual machine; used where there is no profile of the machine.
const Profile& builtin() noexcept;

/// What is wrong with a profile's numbers: "pack at 64 bytes is -1 ns"; empty: nothing.
std::string absurd(const Profile& profile);

}  // namespace heddle::select
