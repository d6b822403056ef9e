// transport/fabric/send_offers.cpp: P-RRS at the sender, which packs segments. The receiver reads
// them and scatters them into its blocks.
//
//   pack ─ ready(segment, where) ───▶ read, scattered ─ taken(segment) ─▶ the slot is free
//
// A source in one piece is not packed: one `ready` offers all of it.
#include <algorithm>
#include <array>

#include "transport/fabric/outgoing.hpp"

namespace heddle::transport::fabric {
namespace {

class Offers final : public Sending {
 public:
  explicit Offers(Outgoing& message)
      : Sending(message), segment_(out.announcement().segment), count_((out.total() + segment_ - 1) / segment_) {
    const Elements& source = out.source();
    const bool one_piece = source.layout->dense() || (source.count == 1 && source.layout->node()->contiguous());
    if (!one_piece) return;
    // The peer reads this memory, so it must be registered even if the provider needs that for no
    // local memory.
    Registrations& registrations = out.fabric_.registrations();
    if (registrations.hold(source, out.total(), false, 1, whole_) != Failure::none) return;
    const std::byte* const start = source.base + source.layout->root().offset;
    const Region& region = *whole_.find(start);
    Control ready{.kind = Kind::ready, .places = 1, .segment = 0, .offset = 0, .length = out.total()};
    ready.place[0].memory = {region.address_of(start), static_cast<std::uint64_t>(out.total()), region.key};
    out.tell(ready);
    next_ = 1;
    count_ = 1;
  }

  void step() override {
    if (next_ == count_) return;
    Slot& slot = window_[static_cast<std::size_t>(next_) % window_.size()];
    if (slot.at) return;  // not taken yet
    const Bytes from = next_ * segment_;
    const Bytes length = std::min(segment_, out.total() - from);
    if (!out.pack(from, length, slot)) {
      if (next_ == taken_) out.fail(Failure::memory);
      return;
    }
    Control ready{.kind = Kind::ready, .places = 1, .segment = next_, .offset = from, .length = length};
    ready.place[0].memory = {slot.region->address_of(slot.at), static_cast<std::uint64_t>(length), slot.region->key};
    out.tell(ready);
    ++next_;
  }

  void heard(const Control& control) override {
    if (control.kind != Kind::taken || control.segment >= next_) return out.fail(Failure::damaged);
    if (whole_.empty()) {
      Slot& slot = window_[static_cast<std::size_t>(control.segment) % window_.size()];
      if (!slot.at || control.segment + static_cast<Bytes>(window_.size()) < next_) return out.fail(Failure::damaged);
      out.fabric_.segments().give(slot);
      slot = {};
    }
    if (++taken_ == count_) out.finish();
  }

  void completed(std::uint64_t) override {}

  [[nodiscard]] bool buffer_free() const override { return whole_.empty() ? next_ == count_ : taken_ == count_; }

  void clean() noexcept override {
    for (Slot& slot : window_) {
      if (slot.at) out.fabric_.segments().give(slot);
      slot = {};
    }
    out.fabric_.registrations().drop(whole_);
  }

 private:
  Bytes segment_;
  Bytes count_;
  Bytes next_ = 0;
  Bytes taken_ = 0;
  std::array<Slot, 8> window_{};
  Holding whole_;
};

}  // namespace

std::unique_ptr<Sending> send_offers(Outgoing& message) { return std::make_unique<Offers>(message); }

}  // namespace heddle::transport::fabric
