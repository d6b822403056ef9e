// group/ask.hpp: a group whose members only somebody else knows (an MPI library), read in short pieces into the encoder: memory
// does not grow with regular groups. May include: encoder.hpp.
//
//   const std::optional<Group> group = ask(source, size, world, true);
#pragma once

#include <optional>

#include "group/group.hpp"

namespace heddle::group {

class Source {
 public:
  virtual ~Source() = default;
  /// What so many members, from `first` on, are called in the world; less than 0: not of this world. False: it does not say.
  virtual bool world_ranks(Rank first, int count, Rank* answers) = 0;
  /// How many of them, from `first` on, are the ranks from, from + step, ... of the world.
  virtual int go_on(Rank first, int count, Rank from, Rank step) = 0;
};

/// Members that one question is about, at most.
inline constexpr int most_asked = 256;

/// Empty if a member is of another world; nothing if the source does not say. Throws std::bad_alloc.
/// @param guesses  The source takes long to look in all of the world: it is asked first whether the next members go on as the
/// last two began.
std::optional<Group> ask(Source& source, Rank size, Rank world, bool guesses);

}  // namespace heddle::group
