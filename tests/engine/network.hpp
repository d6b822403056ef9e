// Ranks of one process that send each other bytes: an engine::Channel for each, single-threaded, nothing arrives unless both
// sides have begun.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "engine/channel.hpp"

namespace heddle::engine::test {

class Network {
 public:
  explicit Network(Rank ranks) : ends_(static_cast<std::size_t>(ranks)) {
    for (Rank i = 0; i < ranks; ++i) ends_[static_cast<std::size_t>(i)] = End(this, i);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Channel& operator[](Rank rank) { return ends_[static_cast<std::size_t>(rank)]; }
  /// Whether every message was received; how many there were, and the bytes of all.
  [[nodiscard]] bool empty() const {
    for (const auto& [pair, line] : lines_)
      if (!line.empty()) return false;
    return true;
  }
  std::size_t messages = 0;
  Bytes bytes = 0;
  bool mismatch = false;  ///< A receive of another size than what was sent.

 private:
  struct Sent {
    const std::byte* from;
    Bytes bytes;
  };
  struct Awaited {
    Rank from;
    std::byte* to;
    Bytes bytes;
  };
  class End final : public Channel {
   public:
    End() = default;
    End(Network* network, Rank me) : network_(network), me_(me) {}
    void send(Rank to, const std::byte* from, Bytes bytes) noexcept override {
      network_->lines_[{me_, to}].push_back({from, bytes});
      ++network_->messages;
      network_->bytes += bytes;
    }
    void receive(Rank from, std::byte* to, Bytes bytes) noexcept override { awaited_.push_back({from, to, bytes}); }
    bool received(bool /*wait*/) noexcept override {
      std::erase_if(awaited_, [this](const Awaited& one) {
        auto& line = network_->lines_[{one.from, me_}];
        if (line.empty() || blocked_[one.from]) return blocked_[one.from] = true, false;
        network_->mismatch |= line.front().bytes != one.bytes;
        std::memcpy(one.to, line.front().from, static_cast<std::size_t>(std::min(one.bytes, line.front().bytes)));
        line.pop_front();
        return true;
      });
      blocked_.clear();
      return awaited_.empty();
    }
    bool finished(bool wait) noexcept override { return received(wait); }

   private:
    Network* network_ = nullptr;
    Rank me_ = 0;
    std::vector<Awaited> awaited_;
    std::map<Rank, bool> blocked_;  // an earlier receive from there still waits
  };

  std::vector<End> ends_;
  std::map<std::pair<Rank, Rank>, std::deque<Sent>> lines_;
};

}  // namespace heddle::engine::test
