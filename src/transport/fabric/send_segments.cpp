// transport/fabric/send_segments.cpp: BC-SPUP and RWG-UP at the sender, which writes into segments
// that the receiver has granted.
//
//   segment     0    1    2    3    4    5         window 4: segment k goes to slot k mod 4 when segment k - 4 is unpacked
//   slot        0    1    2    3    0    1
//   BC-SPUP     pack ─ write with notification ───▶ unpack ─ credit ─▶
//   RWG-UP      write gathered, in parts of at most iov blocks; the last one notifies ───▶ unpack ─ credit ─▶
//
// With some providers the last part may overtake the others. Then no part notifies, and a control
// message (landed) follows when all parts have been delivered.
#include <algorithm>

#include "transport/fabric/outgoing.hpp"
#include "transport/fabric/zip.hpp"

namespace heddle::transport::fabric {
namespace {

class SegmentSend final : public Sending {
 public:
  SegmentSend(Outgoing& message, const Control& reply, bool gather)
      : Sending(message),
        gather_(gather),
        segment_(reply.segment),
        count_((out.total() + segment_ - 1) / segment_),
        window_(reply.places),
        flights_(window_) {
    for (std::size_t i = 0; i < window_; ++i) flights_[i].place = reply.place[i].memory;
  }

  void step() override {
    while (next_ < count_ && out.under_way_ < out.most_under_way()) {
      Flight& flight = flights_[static_cast<std::size_t>(next_) % window_];
      if (flight.begun && flight.number != next_) return;  // not unpacked yet
      if (!flight.begun && !begin(flight)) return;
      if (!advance(flight)) return;
      ++next_;
      if (!gather_) return;  // one packed segment is enough for a turn
    }
  }

  void heard(const Control& control) override {
    if (control.kind != Kind::credit) return out.fail(Failure::damaged);
    Flight& flight = flights_[static_cast<std::size_t>(control.segment) % window_];
    if (flight.number != control.segment || !flight.begun || flight.unpacked) return out.fail(Failure::damaged);
    flight.unpacked = true;
    retire(flight);
  }

  void completed(std::uint64_t tag) override {
    Flight& flight = flights_[tag];
    --flight.writes;
    if (flight.writes > 0 || !flight.posted || flight.delivered) return;
    flight.delivered = true;
    if (flight.slot.at) out.fabric_.segments().give(flight.slot);
    flight.slot = {};
    if (flight.tell) out.tell({.kind = Kind::landed, .segment = flight.number});
    ++delivered_;
    retire(flight);
    if (delivered_ == count_) out.finish();
  }

  [[nodiscard]] bool buffer_free() const override { return gather_ ? delivered_ == count_ : next_ == count_; }

  void clean() noexcept override {
    for (Flight& flight : flights_) {
      if (flight.slot.at) out.fabric_.segments().give(flight.slot);
      flight.slot = {};
    }
  }

 private:
  struct Flight {
    Remote place{};
    Bytes number = -1;
    Slot slot{};  // packed bytes
    std::unique_ptr<Zip> zip{};
    Transfer transfer{};
    Bytes written = 0;
    int writes = 0;
    bool begun = false;
    bool posted = false;  // all parts are posted
    bool delivered = false;
    bool unpacked = false;  // by the receiver
    bool tell = false;      // the last part did not notify: send `landed` after delivery
  };

  [[nodiscard]] Bytes length(Bytes segment) const { return std::min(segment_, out.total() - segment * segment_); }

  bool begin(Flight& flight) {
    if (!gather_ && !out.pack(next_ * segment_, length(next_), flight.slot)) {
      // Other segments of this message will free their slots. If there are none, waiting is
      // useless.
      if (out.under_way_ == 0) out.fail(Failure::memory);
      return false;
    }
    if (gather_) {
      layout::Cursor cursor(*out.source().layout, out.source().count);
      cursor.seek(next_ * segment_);
      flight.zip = std::make_unique<Zip>(
          cursor, out.source().base, [this](const std::byte* at) { return out.describe(at); }, layout::Cursor(contiguous_, 1),
          [place = flight.place](Bytes offset, Bytes, Remote& found) {
            found = {place.address + static_cast<std::uint64_t>(offset), 0, place.key};
            return true;
          },
          length(next_));
      flight.transfer.bytes = 0;
    }
    flight.begun = true;
    flight.number = next_;
    flight.written = 0;
    return true;
  }

  /// Posts the rest of a segment. False: a part is left.
  bool advance(Flight& flight) {
    const auto tag = static_cast<std::uint64_t>(&flight - flights_.data());
    const std::uint32_t notification = note(out.theirs_, flight.number);
    if (!gather_) {
      const iovec piece{flight.slot.at, static_cast<std::size_t>(length(next_))};
      void* const descriptor = flight.slot.region->descriptor;
      const Remote place{flight.place.address, static_cast<std::uint64_t>(length(next_)), flight.place.key};
      flight.posted = true;
      ++flight.writes;
      if (out.post({.kind = Post::write,
                    .local = {&piece, 1},
                    .descriptors = {&descriptor, 1},
                    .remote = {&place, 1},
                    .data = notification},
                   tag))
        return true;
      flight.posted = false;
      --flight.writes;
      return false;
    }
    const Abilities& can = out.fabric_.abilities();
    while (!flight.zip->done() || flight.transfer.bytes > 0) {
      if (out.under_way_ >= out.most_under_way()) return false;
      if (flight.transfer.bytes == 0 && !flight.zip->next(can.iov, 1, flight.transfer)) {
        out.fail(Failure::damaged);
        return false;
      }
      const bool last = flight.zip->done();
      const bool notify = last && (can.ordered_writes || flight.written == 0);
      Post post{.kind = Post::write,
                .local = flight.transfer.local,
                .descriptors = flight.transfer.descriptors,
                .remote = flight.transfer.remote,
                .more = out.plan().list && !last};
      if (notify) post.data = notification;
      flight.tell = last && !notify;
      flight.posted = last;
      ++flight.writes;
      if (!out.post(post, tag)) {
        flight.posted = false;
        --flight.writes;
        return false;
      }
      flight.written += flight.transfer.bytes;
      flight.transfer.bytes = 0;
    }
    return true;
  }

  /// Makes the slot ready for the next segment, once its segment is delivered and unpacked.
  void retire(Flight& flight) {
    if (!flight.delivered || !flight.unpacked) return;
    flight.begun = flight.posted = flight.delivered = flight.unpacked = flight.tell = false;
    flight.zip.reset();
  }

  bool gather_;
  Bytes segment_;
  Bytes count_;
  std::size_t window_;
  std::vector<Flight> flights_;
  Bytes next_ = 0;
  Bytes delivered_ = 0;
  layout::Layout contiguous_ = layout::basic(segment_, 1);
};

}  // namespace

std::unique_ptr<Sending> send_segments(Outgoing& message, const Control& reply, bool gather) {
  return std::make_unique<SegmentSend>(message, reply, gather);
}

}  // namespace heddle::transport::fabric
