// transport/complaint.hpp: what did not work at the join, as findings that travel and as a
// sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heddle::transport {

enum class Stage : std::uint8_t { none, memory, socket, network, descriptor, map, read };

/// What failed in process `from`, with process `to` (itself: of its own).
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

/// One line: each kind of failure once, with its first example, what happens instead, and what to do. Empty: no findings.
std::string describe(std::span<const Finding> findings, int processes, int timeout_ms);

}  // namespace heddle::transport
