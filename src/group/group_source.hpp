// group/group_source.hpp: reads a group whose members only an MPI library knows, in short pieces,
// into the encoder. Memory does not grow with regular groups.
//
//   const std::optional<Group> group = ask(source, size, world, true);
#pragma once

#include <optional>

#include "group/group.hpp"

namespace heddle::group {

class Source {
 public:
  virtual ~Source() = default;
  /// The world ranks of members from `first` on. Below 0: a member of another world. False: the
  /// source does not say.
  virtual bool world_ranks(Rank first, int count, Rank* answers) = 0;
  /// The number of members, from `first` on, that are the world ranks from, from + step, ...
  virtual int go_on(Rank first, int count, Rank from, Rank step) = 0;
};

/// The most members of one question.
inline constexpr int most_asked = 256;

/// An empty group if a member is of another world; nothing if the source does not say. Throws
/// std::bad_alloc.
/// @param guesses  The source is slow for arbitrary members. So it is first asked whether the next
/// members continue the last two.
std::optional<Group> ask(Source& source, Rank size, Rank world, bool guesses);

}  // namespace heddle::group
