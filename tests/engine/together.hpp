// Ranks that are threads of one process: an engine::Channel for each, which waits for the others.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/collective/channel.hpp"
#include "network.hpp"

namespace heddle::engine::test {

class Together {
 public:
  explicit Together(Rank ranks) : ends_(static_cast<std::size_t>(ranks)) {
    for (Rank me = 0; me < ranks; ++me) ends_[static_cast<std::size_t>(me)] = End(this, me);
  }
  Channel& operator[](Rank rank) { return ends_[static_cast<std::size_t>(rank)]; }

 private:
  class End final : public Channel {
   public:
    End() = default;
    End(Together* together, Rank me) : all_(together), me_(me) {}
    void send(Rank to, std::span<const Piece> pieces) noexcept override {
      const std::lock_guard guard(all_->lock_);
      Content& content = all_->lines_[{me_, to}].emplace_back();
      for (const Piece& piece : pieces) content.insert(content.end(), piece.at, piece.at + piece.bytes);
      all_->sent_.notify_all();
    }
    Ticket receive(Rank from, std::byte* to, Bytes /*room*/) noexcept override {
      awaited_.emplace_back(from, to);
      return awaited_.size() - 1;
    }
    bool received(Ticket /*ticket*/, bool wait) noexcept override { return finished(wait); }
    bool finished(bool /*wait*/) noexcept override {
      std::unique_lock guard(all_->lock_);
      for (const auto& [from, to] : awaited_) {
        auto& line = all_->lines_[{from, me_}];
        all_->sent_.wait(guard, [&line] { return !line.empty(); });
        std::ranges::copy(line.front(), to);
        line.pop_front();
      }
      awaited_.clear();
      return true;
    }

   private:
    Together* all_ = nullptr;
    Rank me_ = 0;
    std::vector<std::pair<Rank, std::byte*>> awaited_;
  };
  std::mutex lock_;
  std::condition_variable sent_;
  std::map<std::pair<Rank, Rank>, std::deque<Content>> lines_;
  std::vector<End> ends_;
};

}  // namespace heddle::engine::test
