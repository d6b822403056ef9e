// transport/complaint.hpp: the failures of a join, as findings that travel and as a sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heddle::transport {

enum class Stage : std::uint8_t { none, memory, socket, network, descriptor, map, read };

/// A failure in process `from` that concerns process `to` (or `from` itself).
struct Finding {
  Stage stage = Stage::none;
  std::uint8_t failed = 0;
  std::int16_t error = 0;  ///< errno
  std::int32_t from = 0;
  std::int32_t to = 0;
};

/// Why a process cannot map the memory of one peer, and why it cannot read it.
struct Verdict {
  Finding memory;
  Finding read;
};

/// One line that names each kind of failure once: its first example, the consequence and the
/// remedy. Empty: no findings.
std::string describe(std::span<const Finding> findings, int processes, int timeout_ms);

}  // namespace heddle::transport
