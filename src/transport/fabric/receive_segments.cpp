// transport/fabric/receive_segments.cpp: BC-SPUP and RWG-UP at the receiver, which unpacks segments
// that have arrived and grants their slots again.
#include <algorithm>
#include <deque>

#include "layout/pack.hpp"
#include "transport/fabric/incoming.hpp"

namespace heddle::transport::fabric {
namespace {

class SegmentReceive final : public Receiving {
 public:
  SegmentReceive(Incoming& message, std::vector<Slot> slots, bool segment_unpack, Bytes segment)
      : Receiving(message),
        slots_(std::move(slots)),
        expected_(slots_.size()),
        arrived_(slots_.size()),
        segment_unpack_(segment_unpack),
        segment_(segment),
        count_((in.bytes() + segment - 1) / segment) {
    for (std::size_t i = 0; i < slots_.size(); ++i) expected_[i] = static_cast<Bytes>(i);
  }

  void step() override {
    if (waiting_.empty()) return;
    // Without segment_unpack: unpack when all segments have come, or when the sender has no slot
    // left.
    if (!segment_unpack_ && waiting_.size() < slots_.size() && unpacked_ + static_cast<Bytes>(waiting_.size()) < count_ &&
        !draining_)
      return;
    draining_ = true;
    const Bytes number = waiting_.front();
    waiting_.pop_front();
    if (waiting_.empty()) draining_ = false;
    const std::size_t i = static_cast<std::size_t>(number) % slots_.size();
    const Bytes from = number * segment_;
    const Elements& target = in.target();
    layout::unpack_range(*target.layout, target.count, target.base, from, std::min(segment_, in.bytes() - from), slots_[i].at);
    ++unpacked_;
    arrived_[i] = false;
    expected_[i] = number + static_cast<Bytes>(slots_.size());
    if (expected_[i] < count_) in.tell({.kind = Kind::credit, .segment = number});
    if (unpacked_ == count_) in.finish();
  }

  void notified(std::uint32_t segment) override {
    // Slots take turns, so the low bits of a segment's number identify its slot. The slot knows the
    // full number.
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if ((static_cast<std::uint32_t>(expected_[i]) & 0xffffU) == segment && expected_[i] < count_) return arrive(i);
    in.fail(Failure::damaged);
  }

  void heard(const Control& control) override {
    const std::size_t i = static_cast<std::size_t>(control.segment) % slots_.size();
    if (control.kind != Kind::landed || control.segment >= count_ || expected_[i] != control.segment)
      return in.fail(Failure::damaged);
    arrive(i);
  }

  void clean(bool retire) noexcept override {
    for (const Slot& slot : slots_) retire ? in.fabric_.segments().retire(slot) : in.fabric_.segments().give(slot);
    slots_.clear();
  }

 private:
  void arrive(std::size_t i) {
    if (arrived_[i]) return in.fail(Failure::damaged);
    arrived_[i] = true;
    waiting_.push_back(expected_[i]);
  }

  std::vector<Slot> slots_;
  std::vector<Bytes> expected_;  // for each slot, the number of its segment
  std::vector<bool> arrived_;
  std::deque<Bytes> waiting_;
  bool segment_unpack_;
  bool draining_ = false;
  Bytes segment_;
  Bytes count_;
  Bytes unpacked_ = 0;
};

}  // namespace

std::unique_ptr<Receiving> receive_segments(Incoming& message, std::vector<Slot> slots, bool segment_unpack, Bytes segment) {
  return std::make_unique<SegmentReceive>(message, std::move(slots), segment_unpack, segment);
}

}  // namespace heddle::transport::fabric
