// engine/collective/gathering.cpp: cuts the blocks of a round into messages, and takes the rounds
// one after another.
#include "engine/collective/gathering.hpp"

namespace heddle::engine {

/// Calls move(place, bytes) for each piece, in the order of `what`.
template <class Move>
void Gathering::pieces(const schedule::Ranks& what, const schedule::Segment& part, Move move) const noexcept {
  Bytes begin = 0;
  Bytes end = 0;
  what.for_each([&](Rank origin) {
    const Bytes start = blocks_.starts[origin];
    const Bytes length = blocks_.starts[origin + 1] - start;
    const schedule::Window window =
        part == schedule::whole ? schedule::Window{0, length} : schedule::window(part, length, chosen_.place.pieces->length());
    if (window.begin == window.end) return;
    if (start + window.begin != end) {
      if (end > begin) move(blocks_.memory + begin, end - begin);
      begin = start + window.begin;
    }
    end = start + window.end;
  });
  if (end > begin) move(blocks_.memory + begin, end - begin);
}

void Gathering::begin(const schedule::Round& round) noexcept {
  for (const schedule::Receive& one : round.receives)
    pieces(one.what, one.part, [&](std::byte* place, Bytes bytes) { channel_.receive(one.from, place, bytes); });
  for (const schedule::Send& one : round.sends)
    pieces(one.what, one.part, [&](const std::byte* place, Bytes bytes) { channel_.send(one.to, place, bytes); });
}

bool Gathering::advance(bool wait) noexcept {
  while (channel_.received(wait)) {
    if (next_ == rounds_) return channel_.finished(wait);
    begin(chosen_.algorithm->round(chosen_.place, me_, next_++));
  }
  return false;
}

}  // namespace heddle::engine
