// engine/datatype.hpp: what Heddle knows of one datatype of the program, whatever its handle: its layout, and what every
// message of it asks for. May include: datatype_cache.hpp, layout/, select/packing.hpp, select/side.hpp.
//
//   const Datatype column(layout::vector(128, 1, 4096, layout::basic(4)));
//   column.contiguous(2);                                  // false
//   column.statistics()->of(2).mean_block;                 // 4
#pragma once

#include <atomic>

#include "engine/datatype_cache.hpp"
#include "layout/layout.hpp"
#include "select/packing.hpp"
#include "select/side.hpp"

namespace heddle::engine {

class Datatype {
 public:
  explicit Datatype(layout::Layout layout, const select::Message& about = {}) { describe(std::move(layout), about); }
  ~Datatype();
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  [[nodiscard]] const layout::Layout& layout() const { return layout_; }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Bytes extent() const { return layout_.extent(); }
  /// `count` elements have no holes and lie in packed order, from `first_byte` on.
  [[nodiscard]] bool contiguous(Count count) const {
    return layout_.dense() || (count <= 1 && (size_ == 0 || layout_.node()->contiguous()));
  }
  /// Where the first byte of the packed stream lies, and how many of it lie there in one piece.
  [[nodiscard]] Bytes first_byte() const { return first_byte_; }
  [[nodiscard]] Bytes first_piece() const { return first_piece_; }
  /// Whether packing `count` elements for a point-to-point call pays (select/packing.hpp).
  [[nodiscard]] bool pays_to_pack(Count count) const {
    Bytes bytes = 0;
    return count > 0 && !__builtin_mul_overflow(count, size_, &bytes) && bytes >= packs_from_[count > 1 ? 1 : 0];
  }

  /// Where peers of the node find this layout; listed at the first call.
  [[nodiscard]] Listed listed(DatatypeCache& cache) const noexcept;
  /// By what a scheme is chosen; made at the first call. Null: no memory.
  [[nodiscard]] const select::Statistics* statistics() const noexcept;

 protected:
  /// To be described later.
  Datatype() = default;
  /// @param about  Of its messages: all but whether they are of several elements.
  void describe(layout::Layout layout, select::Message about);

 private:
  mutable std::atomic<DatatypeCache*> datatype_cache_{nullptr};
  mutable Listed listed_;
  mutable std::atomic<const select::Statistics*> statistics_{nullptr};
  layout::Layout layout_;
  // Last, beside what a derived class begins with: what every message reads.
  Bytes packs_from_[2] = {select::never_packed, select::never_packed};  // one element, several
  Bytes size_ = 0;
  Bytes first_byte_ = 0;
  Bytes first_piece_ = 0;
};

}  // namespace heddle::engine
