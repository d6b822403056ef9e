// Ranks of one process that send each other bytes. Each has an engine::Channel. All run in one
// thread, and a message arrives only when both sides have begun.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "engine/collective/channel.hpp"

namespace heddle::engine::test {

using Content = std::vector<std::byte>;

class Network {
 public:
  /// The time at which the bytes of a message are read. `late`: at the receive. Later changes
  /// arrive, and the send ends only then. `at_once`: at the send.
  enum class Reads { late, at_once };

  explicit Network(Rank ranks, Reads reads = Reads::late) : reads_(reads), ends_(static_cast<std::size_t>(ranks)) {
    for (Rank i = 0; i < ranks; ++i) ends_[static_cast<std::size_t>(i)] = End(this, i);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Channel& operator[](Rank rank) { return ends_[static_cast<std::size_t>(rank)]; }
  /// Puts a message into the line, as if `from` had sent it.
  void forge(Rank from, Rank to, const Content& content) { lines_[{from, to}].push_back({{}, content}); }
  /// All messages were received. Then their number, and their bytes.
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(lines_, [](const auto& line) { return line.second.empty(); });
  }
  std::size_t messages = 0;
  Bytes bytes = 0;
  bool mismatch = false;  ///< A receive had another size than its message.
  bool overflow = false;  ///< A message was longer than the room for it.
  bool stuck = false;     ///< A rank has waited for a message that had not been sent.
  bool nothing = false;   ///< A message had a piece without bytes.

  struct Sends {
    std::size_t messages = 0;
    std::size_t most_pieces = 0;  ///< Of one message.
  };
  [[nodiscard]] const Sends& sends_of(Rank rank) const { return ends_[static_cast<std::size_t>(rank)].sends; }

 private:
  struct Sent {
    std::vector<Piece> pieces;
    Content copy;
  };
  struct Awaited {
    Rank from;
    std::byte* to;
    Bytes room;
    bool here = false;
  };
  class End final : public Channel {
   public:
    End() = default;
    End(Network* network, Rank me) : network_(network), me_(me) {}
    void send(Rank to, std::span<const Piece> pieces) noexcept override {
      Sent message{{pieces.begin(), pieces.end()}, {}};
      if (network_->reads_ == Reads::at_once) read(message);
      for (const Piece& one : pieces) {
        network_->bytes += one.bytes;
        network_->nothing |= one.bytes == 0;
      }
      network_->lines_[{me_, to}].push_back(std::move(message));
      ++network_->messages;
      ++sends.messages;
      sends.most_pieces = std::max(sends.most_pieces, pieces.size());
    }
    Ticket receive(Rank from, std::byte* to, Bytes room) noexcept override {
      awaited_.push_back({from, to, room});
      return awaited_.size() - 1;
    }
    bool received(Ticket ticket, bool wait) noexcept override {
      take();
      const auto end = awaited_.begin() + static_cast<std::ptrdiff_t>(std::min(ticket, awaited_.size() - 1) + 1);
      const bool over = awaited_.empty() || std::all_of(awaited_.begin(), end, [](const Awaited& one) { return one.here; });
      network_->stuck |= wait && !over;
      return over;
    }
    bool finished(bool wait) noexcept override {
      if (!received(all, wait)) return false;
      awaited_.clear();
      return true;
    }
    [[nodiscard]] int error() const noexcept override { return network_->stuck || network_->overflow ? 1 : 0; }

    Sends sends;

   private:
    static void read(Sent& message) {
      for (const Piece& one : message.pieces) message.copy.insert(message.copy.end(), one.at, one.at + one.bytes);
      message.pieces.clear();
    }
    void take() {
      std::map<Rank, bool> blocked;  // an earlier receive from that rank still waits
      for (Awaited& one : awaited_) {
        if (one.here || blocked[one.from]) continue;
        auto& line = network_->lines_[{one.from, me_}];
        if (line.empty()) {
          blocked[one.from] = true;
          continue;
        }
        read(line.front());
        const Content& content = line.front().copy;
        network_->mismatch |= std::ssize(content) != one.room;
        network_->overflow |= std::ssize(content) > one.room;
        std::copy_n(content.begin(), std::min<Bytes>(one.room, std::ssize(content)), one.to);
        line.pop_front();
        one.here = true;
      }
    }

    Network* network_ = nullptr;
    Rank me_ = 0;
    std::vector<Awaited> awaited_;
  };

  Reads reads_;
  std::vector<End> ends_;
  std::map<std::pair<Rank, Rank>, std::deque<Sent>> lines_;
};

}  // namespace heddle::engine::test
