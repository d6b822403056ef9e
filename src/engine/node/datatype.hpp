// engine/node/datatype.hpp: one datatype of the program, whatever its handle. It has the layout,
// and the facts that every message needs.
//
//   const Datatype column(layout::vector(128, 1, 4096, layout::basic(4)));
//   column.contiguous(2);                                  // false
//   column.statistics()->of(2).mean_block;                 // 4
#pragma once

#include <atomic>

#include "engine/node/datatype_cache.hpp"
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
  /// The offset of the first byte of the packed stream, and the number of bytes that lie there in
  /// one piece.
  [[nodiscard]] Bytes first_byte() const { return first_byte_; }
  [[nodiscard]] Bytes first_piece() const { return first_piece_; }
  /// True: packing `count` elements for a point-to-point call pays (select/packing.hpp).
  [[nodiscard]] bool pays_to_pack(Count count) const {
    Bytes bytes = 0;
    return count > 0 && !__builtin_mul_overflow(count, size_, &bytes) && bytes >= packs_from_[count > 1 ? 1 : 0];
  }

  /// The place where peers of the node find this layout. The first call lists it.
  [[nodiscard]] Listed listed(DatatypeCache& cache) const noexcept;
  /// The facts by which a scheme is chosen. The first call makes them. Null: no memory.
  [[nodiscard]] const select::Statistics* statistics() const noexcept;

 protected:
  /// The derived class calls describe() later.
  Datatype() = default;
  /// @param about  Facts about its messages. `several` is ignored.
  void describe(layout::Layout layout, select::Message about);

 private:
  mutable std::atomic<DatatypeCache*> datatype_cache_{nullptr};
  mutable Listed listed_;
  mutable std::atomic<const select::Statistics*> statistics_{nullptr};
  layout::Layout layout_;
  // Every message reads these. They are last, next to the first members of a derived class.
  Bytes packs_from_[2] = {select::never_packed, select::never_packed};  // one element, several
  Bytes size_ = 0;
  Bytes first_byte_ = 0;
  Bytes first_piece_ = 0;
};

}  // namespace heddle::engine
