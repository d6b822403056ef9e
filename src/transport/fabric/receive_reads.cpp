// transport/fabric/receive_reads.cpp: P-RRS at the receiver, which reads segments that are ready
// and scatters them into its blocks.
#include <deque>

#include "transport/fabric/incoming.hpp"
#include "transport/fabric/zip.hpp"

namespace heddle::transport::fabric {
namespace {

class Reads final : public Receiving {
 public:
  explicit Reads(Incoming& message) : Receiving(message) {}

  void step() override {
    constexpr int most = 32;
    while (in.under_way_ < most) {
      if (!zip_ && !begin()) return;
      const Abilities& can = in.fabric_.abilities();
      if (transfer_.bytes == 0 && !zip_->next(can.iov, 1, transfer_)) {
        if (zip_->lost()) return in.fail(Failure::damaged);
        zip_.reset();
        ready_[posting_].posted = true;
        end(posting_++);
        continue;
      }
      ++ready_[posting_].reads;
      const bool posted = in.post(
          {.kind = Post::read, .local = transfer_.local, .descriptors = transfer_.descriptors, .remote = transfer_.remote},
          first_ + posting_);
      if (!posted) {
        --ready_[posting_].reads;
        return;
      }
      transfer_.bytes = 0;
    }
  }

  void heard(const Control& control) override {
    if (control.kind != Kind::ready || control.places != 1 || control.offset != expected_ || control.length <= 0 ||
        control.length > in.bytes() - expected_ || control.place[0].memory.length != static_cast<std::uint64_t>(control.length))
      return in.fail(Failure::damaged);
    expected_ += control.length;
    ready_.push_back(
        {.number = control.segment, .from = control.offset, .length = control.length, .memory = control.place[0].memory});
    step();
  }

  void completed(std::uint64_t tag) override {
    const std::size_t i = tag - first_;
    --ready_[i].reads;
    end(i);
  }

 private:
  struct Ready {
    Bytes number;
    Bytes from;
    Bytes length;
    Remote memory;
    int reads = 0;
    bool posted = false;
    bool taken = false;
  };

  bool begin() {
    if (posting_ == ready_.size()) return false;
    const Ready& ready = ready_[posting_];
    const Elements& target = in.target();
    layout::Cursor here(*target.layout, target.count);
    here.seek(ready.from);
    contiguous_ = layout::basic(ready.length, 1);
    zip_ = std::make_unique<Zip>(
        here, target.base,
        [this](const std::byte* at) {
          const Region* const region = in.held().find(at);
          return region ? region->descriptor : nullptr;
        },
        layout::Cursor(contiguous_, 1),
        [memory = ready.memory](Bytes offset, Bytes, Remote& place) {
          place = {memory.address + static_cast<std::uint64_t>(offset), 0, memory.key};
          return true;
        },
        ready.length);
    transfer_.bytes = 0;
    return true;
  }

  void end(std::size_t i) {
    Ready& ready = ready_[i];
    if (!ready.posted || ready.reads > 0 || ready.taken) return;
    ready.taken = true;
    read_ += ready.length;
    in.tell({.kind = Kind::taken, .segment = ready.number});
    while (posting_ > 0 && ready_.front().taken) {
      ready_.pop_front();
      ++first_;
      --posting_;
    }
    if (read_ == in.bytes()) in.finish();
  }

  std::deque<Ready> ready_;
  std::uint64_t first_ = 0;  // number of ready_.front()
  std::size_t posting_ = 0;  // index of the entry whose reads are being posted
  Bytes expected_ = 0;
  Bytes read_ = 0;
  layout::Layout contiguous_;
  std::unique_ptr<Zip> zip_;
  Transfer transfer_;
};

}  // namespace

std::unique_ptr<Receiving> receive_reads(Incoming& message) { return std::make_unique<Reads>(message); }

}  // namespace heddle::transport::fabric
