// A real endpoint, in which some operations are made to fail.
#pragma once

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "transport/fabric/endpoint.hpp"

namespace heddle::transport::fabric::testing {

struct Faults {
  int full_every = 0;              ///< One post of this many finds the queue full.
  int fail_at = -1;                ///< The completion of the message operation with this number is an error.
  Bytes refuse_from = -1;          ///< Registrations of this size and more are refused.
  bool first_remote_only = false;  ///< Remote pieces after the first are silently left out, as verbs;ofi_rxm does.
  bool other_data = false;         ///< The remote CQ data differ from those sent.
  bool pins = false;               ///< The endpoint says that registered memory is pinned.
  int enlisted = 0;                ///< Registrations made.
};

class Faulty final : public Endpoint {
 public:
  Faulty(std::unique_ptr<Endpoint> real, Faults& faults)
      : real_(std::move(real)), faults_(faults), abilities_(real_->abilities()) {
    abilities_.pins = abilities_.pins || faults.pins;
  }

  [[nodiscard]] const Abilities& abilities() const noexcept override { return abilities_; }
  [[nodiscard]] std::vector<std::byte> address() override { return real_->address(); }
  bool connect(std::span<const std::byte> address, Handle& peer) override { return real_->connect(address, peer); }
  Posted post(const Post& what, Operation& operation, int* error) noexcept override {
    if (faults_.full_every > 0 && ++posts_ % faults_.full_every == 0) return Posted::full;
    const bool moves = what.kind == Post::write || what.kind == Post::read;
    Post changed = what;
    std::vector<iovec> local;
    if (moves && faults_.first_remote_only && what.remote.size() > 1) {
      changed.remote = what.remote.first(1);
      std::size_t left = what.remote[0].length;
      for (const iovec& piece : what.local) {
        if (left == 0) break;
        local.push_back({piece.iov_base, std::min(left, piece.iov_len)});
        left -= local.back().iov_len;
      }
      changed.local = local;
      changed.descriptors = what.descriptors.first(local.size());
    }
    if (changed.data && faults_.other_data) changed.data = *changed.data ^ 0x80000000U;
    const Posted answer = real_->post(changed, operation, error);
    if (answer == Posted::yes && moves && moved_++ == faults_.fail_at) doomed_ = &operation;
    return answer;
  }
  std::size_t poll(std::span<Event> events) noexcept override {
    const std::size_t count = real_->poll(events);
    for (std::size_t i = 0; i < count; ++i)
      if (events[i].operation && events[i].operation == doomed_) {
        events[i].error = EIO;
        doomed_ = nullptr;
      }
    return count;
  }
  int enlist(std::byte* start, Bytes length, bool writable, Region& region) noexcept override {
    if (faults_.refuse_from >= 0 && length >= faults_.refuse_from) return EFAULT;
    ++faults_.enlisted;
    return real_->enlist(start, length, writable, region);
  }
  void release(Region& region) noexcept override { real_->release(region); }
  void shut() noexcept override { real_->shut(); }
  [[nodiscard]] std::string words(int error) const override { return real_->words(error); }

 private:
  std::unique_ptr<Endpoint> real_;
  Faults& faults_;
  Abilities abilities_;
  int posts_ = 0;
  int moved_ = 0;
  Operation* doomed_ = nullptr;
};

inline auto with(Faults& faults) {
  return [&faults](std::unique_ptr<Endpoint> real) -> std::unique_ptr<Endpoint> {
    return std::make_unique<Faulty>(std::move(real), faults);
  };
}

}  // namespace heddle::transport::fabric::testing
