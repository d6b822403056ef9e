// engine/gathering.hpp: carries a schedule of an Allgatherv out over a channel. May include: channel.hpp, schedule/.
//
//   Gathering gathering({.algorithm = &schedule::allgatherv_dissemination, .place = {.ranks = 48}}, me, blocks, channel);
//   while (!gathering.advance(false)) ...                       // or advance(true), once
//
// The blocks of all ranks lie packed in rank order, this rank's own in its place when it begins:
//
//   blocks.memory   | 0 | 1  | 2 |    3    | ...                blocks.starts[r]: where that of rank r begins; P + 1 numbers
//
// A message of a round is a set of origins; what lies next to each other there goes as one piece, and as all ranks have the
// same order, both sides see the same pieces. Nothing is sent of blocks without bytes. A rank goes on to the next round when it
// has what the last one brought it; its own sends end by themselves, for no block ever changes.
#pragma once

#include "engine/channel.hpp"
#include "schedule/schedule.hpp"

namespace heddle::engine {

class Gathering {
 public:
  struct Way {
    const schedule::Algorithm* algorithm;
    schedule::Place place;
  };
  struct Blocks {
    std::byte* memory;
    const Bytes* starts;
  };

  Gathering(const Way& way, Rank me, const Blocks& blocks, Channel& channel) noexcept
      : way_(way), me_(me), blocks_(blocks), channel_(channel), rounds_(way.algorithm->rounds(way.place)) {}

  /// As far as it goes now, or to the end. True: over.
  bool advance(bool wait) noexcept;

 private:
  void begin(const schedule::Round& round) noexcept;
  template <class Move>
  void pieces(const schedule::Ranks& what, const schedule::Segment& part, Move move) const noexcept;

  Way way_;
  Rank me_;
  Blocks blocks_;
  Channel& channel_;
  schedule::Count rounds_;
  schedule::Count next_ = 0;
};

}  // namespace heddle::engine
