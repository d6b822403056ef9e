// transport/fabric/zip.hpp: two lists of pieces side by side, cut into operations that a provider
// can take.
//
//   Zip zip({cursor of the local layout, base, holding}, {cursor of the remote layout, regions}, total);
//   while (zip.next(abilities.iov, abilities.rma_iov, transfer)) ... transfer.local, transfer.remote ...
//
// Pieces of the two sides need not agree. Each operation has as many bytes on either side, and is as long as the limits let it.
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
  /// The descriptor of local memory; null where none is needed.
  using Describe = std::function<void*(const std::byte*)>;
  /// Where a piece of the remote layout is, by its offset from element 0 and its length. False: not in what was offered.
  using Locate = std::function<bool(Bytes offset, Bytes length, Remote& place)>;

  Zip(const layout::Cursor& local, std::byte* base, Describe describe, const layout::Cursor& remote, Locate locate, Bytes total)
      : local_(local), base_(base), describe_(std::move(describe)), remote_(remote), locate_(std::move(locate)), left_(total) {}

  /// False: there are no more, or `lost`.
  bool next(std::size_t most_local, std::size_t most_remote, Transfer& transfer);
  /// The remote layout leads out of what was offered.
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
