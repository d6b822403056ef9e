// transport/fabric/layouts.hpp: the datatype cache of Multi-W (Wu et al. 2004, §4.4.2). A
// receiver's layout has an id and a version. Its wire form lies in memory that the sender can read.
// A sender reads the form of a layout that it does not know yet. An id that is used again gets the
// next version.
//
//   receiver   const Listed* listed = listing.list(layout);   ... while the message lasts ...   listing.done_with(listed);
//   sender     if (const Layout* layout = known.find(peer, id, version)) ...  else read the wire form;  known.learn(...)
#pragma once

#include <list>
#include <map>
#include <memory>
#include <tuple>

#include "layout/layout.hpp"
#include "transport/fabric/segment_pool.hpp"

namespace heddle::transport::fabric {

struct Listed {
  std::uint32_t id = 0;
  std::uint32_t version = 0;
  std::uint32_t wire_bytes = 0;
  Slot wire{};
  layout::Layout layout{};  ///< Keeps the layout's node alive, which is the key.
  int users = 0;
  std::uint64_t used = 0;
};

class Listing {
 public:
  static constexpr Bytes largest = 16 << 10;  ///< Most bytes of a wire form. For larger ones the receiver unpacks.

  Listing(Endpoint& endpoint, Budget& budget, std::size_t most = 256)
      : pool_(endpoint, budget, largest, largest * static_cast<Bytes>(most)), most_(most) {}

  /// Null: the wire form is too large, or there is no room.
  Listed* list(const layout::Layout& layout);
  void done_with(Listed* listed) noexcept { --listed->users; }

 private:
  using Key = std::tuple<const layout::ProgramNode*, Bytes, Bytes, Bytes>;
  Pool pool_;
  std::size_t most_;
  std::uint64_t clock_ = 0;
  std::uint32_t next_id_ = 0;
  std::map<Key, std::unique_ptr<Listed>> listed_;
};

/// The layouts of peers that this process knows.
class PeerLayouts {
 public:
  [[nodiscard]] std::shared_ptr<const layout::Layout> find(std::uint32_t peer, std::uint32_t id, std::uint32_t version) const {
    const auto at = known_.find({peer, id});
    return at != known_.end() && at->second.version == version ? at->second.layout : nullptr;
  }
  /// Decodes a wire form and remembers it. Null: the bytes are no wire form.
  std::shared_ptr<const layout::Layout> learn(std::uint32_t peer, std::uint32_t id, std::uint32_t version,
                                              std::span<const std::byte> wire);

 private:
  static constexpr std::size_t most = 4096;
  struct Item {
    std::uint32_t version = 0;
    std::shared_ptr<const layout::Layout> layout;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Item> known_;
};

}  // namespace heddle::transport::fabric
