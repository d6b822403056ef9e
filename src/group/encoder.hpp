// group/encoder.hpp: makes a group in the smallest format of ranks that come one by one, in one
// pass. It takes a few hundred bytes while the ranks have a pattern, and at most twice the result
// otherwise.
//
//   Encoder encoder;
//   for (int color = 0; ...) encoder.add(rank);
//   const Group group = encoder.finish();
//
// Ranks fill a run until a rank does not follow. Runs fill a nest until a run does not fit
// (piece.hpp). Nests pile up until a bitmap or a list of the same ranks would be smaller: then
// these are filled instead.
#pragma once

#include <array>
#include <vector>

#include "group/formats.hpp"
#include "group/group.hpp"

namespace heddle::group {

class Encoder {
 public:
  /// Adds the next world rank: 0 ... most_ranks - 1, std::invalid_argument otherwise. The caller
  /// must not add a rank twice; distinct() checks this afterwards.
  void add(Rank rank);
  /// Adds all ranks of a piece.
  void add(const Piece& piece);

  /// The ranks so far, and the bytes of each format.
  [[nodiscard]] std::array<Offer, formats> offers();
  /// The group, in the smallest format. The encoder is empty afterwards.
  [[nodiscard]] Group finish();
  /// The group in the caller's format, which must fit.
  [[nodiscard]] Group finish(Format format);

  /// Bytes held now, beyond the object.
  [[nodiscard]] std::size_t memory() const;

 private:
  enum class Raw : std::uint8_t { no, bits, list };

  void end_run();
  void place(const Piece& piece);
  void close();
  void give_up();
  void keep(Rank rank);
  void to_list();
  [[nodiscard]] Group build(Format format) const;
  template <class Take>
  void each(Take take) const;

  std::int64_t size_ = 0, ranges_ = 0;
  Rank origin_ = 0;
  Rank low_ = 0, high_ = -1, last_ = 0;
  bool increasing_ = true;
  bool heavy_ = false;  // the pieces are larger than a bitmap or a list
  Raw raw_ = Raw::no;
  Piece run_;                        // filled by ranks
  Piece nest_;                       // filled by runs
  std::vector<Piece> pieces_;        // finished pieces
  std::vector<std::uint64_t> bits_;  // raw, from world rank 64 · origin_ on
  std::vector<Rank> list_;           // raw
};

/// True if no member comes twice. For nests it is known at once. Otherwise it takes one pass, and a
/// bit for each rank of the span.
bool distinct(const Group& group);

}  // namespace heddle::group
