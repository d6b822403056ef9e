// group/encoder.hpp: ranks one after the other become a group in the smallest format. One pass; a few hundred bytes while the
// ranks have a pattern, at most twice the result when they have none.
//
//   Encoder encoder;
//   for (int color = 0; ...) encoder.add(rank);
//   const Group group = encoder.finish();
//
// Ranks fill a run until one does not follow; runs fill a nest until one does not fit (piece.hpp); nests pile up until a bitmap
// or a list of what has gone by would be smaller: then those are filled instead.
#pragma once

#include <array>
#include <vector>

#include "group/formats.hpp"
#include "group/group.hpp"

namespace heddle::group {

class Encoder {
 public:
  /// The next world rank: 0 ... most_ranks - 1, std::invalid_argument otherwise. That no rank comes twice is the caller's to
  /// know; distinct() finds out afterwards.
  void add(Rank rank);
  /// All of a piece.
  void add(const Piece& piece);

  /// What is known so far, and what each format would take.
  [[nodiscard]] std::array<Offer, formats> offers();
  /// The group, in the smallest format; the encoder is empty again.
  [[nodiscard]] Group finish();
  /// The same, in a format of the caller's choice among those that fit.
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
  bool heavy_ = false;  // pieces have become more than a bitmap or a list would be
  Raw raw_ = Raw::no;
  Piece run_;                        // being filled by ranks
  Piece nest_;                       // being filled by runs
  std::vector<Piece> pieces_;        // done
  std::vector<std::uint64_t> bits_;  // raw, from world rank 64 · origin_ on
  std::vector<Rank> list_;           // raw
};

/// Whether no member comes twice. Sure at once for what nests; otherwise one pass, and a bit for each rank of the span.
bool distinct(const Group& group);

}  // namespace heddle::group
