// Messages for tests of communication: one type signature, many datatypes. The content of a message
// does not depend on its types, so every rank can tell what it must receive without asking the
// sender:
//
//   const Unit unit = random_unit(common);                       // the same on all ranks: double, int, int, ...
//   const Side mine = random_side(own, unit, units);             // a datatype and a count that mean `units` times that
//   Area buffer({{mine.shape, mine.count, 0}}, 1);               // memory around it, holes and guards included
//   buffer.put(0, message(seed, me, peer, buffer.size(0)));
//   MPI_Send(buffer.base(), mine.count, *mine.type, ...);
//   ...
//   buffer.expect(0, message(seed, peer, me, buffer.size(0)));
//   EXPECT_TRUE(buffer.as_expected());                           // every byte, those in holes untouched
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/build_type.hpp"
#include "support/choices.hpp"
#include "support/reference.hpp"

namespace heddle::test {

/// Names of predefined types, in order.
using Unit = std::vector<std::string>;
/// Often of one type, often alternating like a pair type, sometimes mixed.
Unit random_unit(Chooser& choose);

struct Side {
  layout::grammar::TypePtr shape;
  std::shared_ptr<Committed> committed;  ///< Null if `type` is predefined.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Count count = 0;

  [[nodiscard]] Bytes extent() const { return shape->layout.extent(); }
  [[nodiscard]] int number() const { return static_cast<int>(count); }
};
/// `units` units as some datatype and count. Sometimes the type is predefined, if that is possible.
Side random_side(Chooser& choose, const Unit& unit, Count units);
/// A type for each unit or part of a unit, for procedures with a count for each rank. `count` of
/// them make one unit.
Side random_element(Chooser& choose, const Unit& unit);

/// The bytes from one rank to another. They are the same wherever they are computed.
Memory message(std::uint32_t seed, int from, int to, Bytes size);

/// A buffer argument of one or several blocks.
class Area {
 public:
  struct Block {
    layout::grammar::TypePtr shape;
    Count count;
    Bytes at;
  };
  Area(std::vector<Block> blocks, unsigned fill);

  [[nodiscard]] std::byte* base() { return field_.base(); }
  [[nodiscard]] Bytes size(std::size_t block) const { return places_[block].packed; }
  /// Writes a message into memory: the program's own data.
  void put(std::size_t block, const Memory& content);
  /// Sets the expected content after the call. Blocks without a call stay as they are. A prefix of
  /// a message is allowed.
  void expect(std::size_t block, const Memory& content);
  [[nodiscard]] bool as_expected() const { return field_.memory() == expected_.memory(); }
  /// Compares every byte, holes and guards included. Both areas must have the same blocks and fill.
  [[nodiscard]] bool same_as(const Area& other) const { return field_.memory() == other.field_.memory(); }
  /// The first byte that is not as expected, as an offset from the buffer argument, and whether it
  /// is data.
  [[nodiscard]] std::string difference();
  /// The block as it is now.
  [[nodiscard]] Memory content(std::size_t block) { return gather(places_[block], base()); }

 private:
  static Places all(const std::vector<Places>& places);
  std::vector<Places> places_;
  Field field_, expected_;
};

}  // namespace heddle::test
