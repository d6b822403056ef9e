// engine/collective/gathering.hpp: carries out a schedule of an Allgatherv over a channel.
//
//   Gathering gathering({.algorithm = &schedule::allgatherv_dissemination, .place = {.ranks = 48}}, me, blocks, channel);
//   while (!gathering.advance(false)) ...                       // or advance(true), once
//
// The blocks of all ranks lie packed in rank order, this rank's own in its place when it begins:
//
//   blocks.memory   | 0 | 1  | 2 |    3    | ...                blocks.starts[r]: start of rank r's block; P + 1 numbers
//
// A message of a round is a set of origins. Blocks of the set that lie next to each other go as one
// piece. All ranks have the same order, so both sides see the same pieces. Blocks without bytes are
// not sent. A rank goes on to the next round when it has received all blocks of the last one. It
// does not wait for its own sends, because no block ever changes.
#pragma once

#include "engine/collective/channel.hpp"
#include "schedule/schedule.hpp"

namespace heddle::engine {

class Gathering {
 public:
  struct Chosen {
    const schedule::Algorithm* algorithm;
    schedule::Place place;
  };
  struct Blocks {
    std::byte* memory;
    const Bytes* starts;
  };

  Gathering(const Chosen& chosen, Rank me, const Blocks& blocks, Channel& channel) noexcept
      : chosen_(chosen), me_(me), blocks_(blocks), channel_(channel), rounds_(chosen.algorithm->rounds(chosen.place)) {}

  /// Goes on as far as possible now, or to the end (`wait`). True: it is over.
  bool advance(bool wait) noexcept;

 private:
  void begin(const schedule::Round& round) noexcept;
  template <class Move>
  void pieces(const schedule::Ranks& what, const schedule::Segment& part, Move move) const noexcept;

  Chosen chosen_;
  Rank me_;
  Blocks blocks_;
  Channel& channel_;
  schedule::Count rounds_;
  schedule::Count next_ = 0;
};

}  // namespace heddle::engine
