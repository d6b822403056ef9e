// transport/fabric/zip.hpp: cuts two lists of pieces, side by side, into operations that a provider
// can take.
//
//   Zip zip({cursor of the local layout, base, holding}, {cursor of the remote layout, regions}, total);
//   while (zip.next(abilities.iov, abilities.rma_iov, transfer)) ... transfer.local, transfer.remote ...
//
// Pieces of the two sides need not agree. Both sides of an operation have the same size. An
// operation is as long as the limits allow.
#pragma once

#include <functional>
#include <vector>

#include "layout/cursor.hpp"
#include "transport/fabric/endpoint.hpp"

namespace heddle::transport::fabric {

/// One operation.
struct Transfer {
  std::vector<iovec> local;
  std::vector<void*> descriptors;
  std::vector<Remote> remote;
  Bytes bytes = 0;
};

class Zip {
 public:
  /// Returns the descriptor of local memory; null if none is needed.
  using Describe = std::function<void*(const std::byte*)>;
  /// Finds the place of a piece of the remote layout from its offset from element 0 and its length.
  /// False: the piece is not in the memory that was offered.
  using Locate = std::function<bool(Bytes offset, Bytes length, Remote& place)>;

  Zip(const layout::Cursor& local, std::byte* base, Describe describe, const layout::Cursor& remote, Locate locate, Bytes total)
      : local_(local), base_(base), describe_(std::move(describe)), remote_(remote), locate_(std::move(locate)), left_(total) {}

  /// Prepares the next operation. False: there are no more, or lost().
  bool next(std::size_t most_local, std::size_t most_remote, Transfer& transfer);
  /// True if a piece of the remote layout is not in the memory that was offered.
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  [[nodiscard]] bool done() const noexcept { return left_ == 0; }

 private:
  layout::Cursor local_;
  std::byte* base_;
  Describe describe_;
  layout::Cursor remote_;
  Locate locate_;
  Bytes left_;
  layout::Segment here_{0, 0};
  layout::Segment there_{0, 0};
  bool lost_ = false;
};

}  // namespace heddle::transport::fabric
