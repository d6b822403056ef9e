// transport/fabric/send_direct.cpp: Multi-W at the sender, which writes from its blocks into the
// receiver's, without a buffer on either side.
//
//   reply(layout id and version, regions) ──▶ [ read the layout, if it is not known ] ─ writes, as lists ─ finished ──▶
//
// The sender says `finished` when the last write has been delivered. A source that cannot be
// registered is packed into segments, and written from them.
#include <algorithm>

#include "transport/fabric/outgoing.hpp"
#include "transport/fabric/zip.hpp"

namespace heddle::transport::fabric {
namespace {

class DirectSend final : public Sending {
 public:
  DirectSend(Outgoing& message, const Control& reply) : Sending(message), reply_(reply), in_place_(out.hold_source()) {
    theirs_ = out.fabric_.known().find(out.peer_, reply.layout, reply.version);
  }

  void step() override {
    if (!theirs_) return fetch();
    if (finished_) return;
    while (out.under_way_ < out.most_under_way()) {
      if (transfer_.bytes == 0 && !next()) break;
      const bool more =
          out.plan().list && !(zip_->done() && posted_ == out.total()) && out.under_way_ + 1 < out.most_under_way();
      const auto tag = static_cast<std::uint64_t>(portion_);
      if (!out.post({.kind = Post::write,
                     .local = transfer_.local,
                     .descriptors = transfer_.descriptors,
                     .remote = transfer_.remote,
                     .more = more},
                    tag))
        return;
      transfer_.bytes = 0;
    }
    if (posted_ == out.total() && transfer_.bytes == 0 && zip_->done() && out.under_way_ == 0) {
      finished_ = true;
      out.tell({.kind = Kind::finished});
      out.finish();
    }
  }

  void heard(const Control&) override { out.fail(Failure::damaged); }

  void completed(std::uint64_t tag) override {
    if (tag == fetching) return learn();
    if (out.under_way_ == 0) {
      give_slot();
      step();
    }
  }

  [[nodiscard]] bool buffer_free() const override { return finished_; }

  void clean() noexcept override { give_slot(); }

 private:
  static constexpr std::uint64_t fetching = ~std::uint64_t{0};

  void give_slot() noexcept {
    if (slot_.at) out.fabric_.segments().give(slot_);
    slot_ = {};
  }

  void fetch() {
    if (fetched_) return;
    if (reply_.wire_bytes == 0 || reply_.wire_bytes > out.fabric_.segments().slot_bytes()) return out.fail(Failure::damaged);
    if (!slot_.at && !out.fabric_.segments().take(slot_)) return out.fail(Failure::memory);
    const iovec place{slot_.at, reply_.wire_bytes};
    void* const descriptor = slot_.region->descriptor;
    const Remote wire{reply_.wire.address, reply_.wire_bytes, reply_.wire.key};
    fetched_ =
        out.post({.kind = Post::read, .local = {&place, 1}, .descriptors = {&descriptor, 1}, .remote = {&wire, 1}}, fetching);
  }

  void learn() {
    theirs_ = out.fabric_.known().learn(out.peer_, reply_.layout, reply_.version, {slot_.at, reply_.wire_bytes});
    give_slot();
    if (!theirs_) return out.fail(Failure::damaged);
    step();
  }

  /// Prepares the next operation. False: there is none, or it has to wait for earlier ones.
  bool next() {
    if (zip_ && zip_->next(out.fabric_.abilities().iov, out.fabric_.abilities().rma_iov, transfer_)) return true;
    if (zip_ && zip_->lost()) {
      out.fail(Failure::damaged);
      return false;
    }
    return posted_ < out.total() && begin() && next();
  }

  /// Begins the next portion: the whole message in place, or one packed segment.
  bool begin() {
    if (!in_place_ && zip_ && out.under_way_ > 0) return false;  // operations still read the segment
    if (out.total() > theirs_->size() * reply_.count) {
      out.fail(Failure::damaged);
      return false;
    }
    Bytes length = out.total();
    if (!in_place_) {
      length = std::min(out.total() - posted_, out.announcement().segment);
      if (!slot_.at && !out.pack(posted_, length, slot_)) {
        out.fail(Failure::memory);
        return false;
      }
      packed_ = layout::basic(length, 1);
    }
    layout::Cursor there(*theirs_, reply_.count);
    there.seek(posted_);
    zip_ = std::make_unique<Zip>(
        in_place_ ? layout::Cursor(*out.source().layout, out.source().count) : layout::Cursor(packed_, 1),
        in_place_ ? out.source().base : slot_.at,
        [this](const std::byte* at) { return in_place_ ? out.describe(at) : slot_.region->descriptor; }, there,
        [this](Bytes offset, Bytes bytes, Remote& place) { return locate(offset, bytes, place); }, length);
    posted_ += length;
    ++portion_;
    return true;
  }

  bool locate(Bytes offset, Bytes bytes, Remote& place) const {
    for (std::size_t i = 0; i < reply_.places; ++i) {
      const Place& region = reply_.place[i];
      const Bytes into = offset - region.low;
      if (into < 0 || bytes > static_cast<Bytes>(region.memory.length) - into) continue;
      place = {region.memory.address + static_cast<std::uint64_t>(into), 0, region.memory.key};
      return true;
    }
    return false;
  }

  Control reply_;
  bool in_place_;
  std::shared_ptr<const layout::Layout> theirs_;
  layout::Layout packed_;
  Slot slot_{};
  std::unique_ptr<Zip> zip_;
  Transfer transfer_;
  Bytes posted_ = 0;  // bytes of the portions that have begun
  int portion_ = 0;
  bool fetched_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Sending> send_direct(Outgoing& message, const Control& reply) {
  return std::make_unique<DirectSend>(message, reply);
}

}  // namespace heddle::transport::fabric
