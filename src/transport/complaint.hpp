// transport/complaint.hpp: the failures of a join, as findings that travel and as a sentence.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "transport/transport_table.hpp"

namespace heddle::transport {

enum class Stage : std::uint8_t { none, memory, socket, network, descriptor, map, offer, reach };

/// A failure in process `from` that concerns process `to` (or `from` itself).
struct Finding {
  Stage stage = Stage::none;
  std::uint8_t failed = 0;
  std::int16_t error = 0;  ///< errno
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint32_t transport = 0;  ///< Its row, at the last two stages.

  [[nodiscard]] bool same_kind(const Finding& other) const noexcept {
    return stage == other.stage && transport == other.transport;
  }
};

/// The number of transports that a join tries.
constexpr auto tried_transports = static_cast<std::size_t>(
    std::ranges::count_if(transports, [](const TransportEntry& entry) { return entry.can.any_memory(); }));

/// Why a process cannot map the node memory of one peer, and why its transports do not reach the
/// peer's other memory. About itself: why it cannot make node memory, or offer its memory.
struct Verdict {
  Finding memory;
  std::array<Finding, tried_transports> reach;

  [[nodiscard]] bool failed() const noexcept {
    return memory.failed || std::ranges::any_of(reach, [](const Finding& one) { return one.failed != 0; });
  }
};

/// One line that names each kind of failure once: its first example, the consequence and the
/// remedy. Empty: no findings.
std::string describe(std::span<const Finding> findings, int processes, int timeout_ms);

}  // namespace heddle::transport
