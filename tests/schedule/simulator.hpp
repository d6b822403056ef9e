// Runs all ranks of a schedule in one thread, in random order. Receives block, sends do not. The
// messages of a pair arrive in the order of sending, whatever their round, as with one MPI tag.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace heddle::schedule {

struct Totals {
  Count rounds = 0;
  Count most_sent = 0;  ///< Messages of the rank that sends most.
  Count most_received = 0;
  Count blocks = 0;  ///< Blocks that travelled, over all messages.
};

/// A Carrier is the test's part. It has `Payload send(Rank, const Send&)` and
/// `void receive(Rank, const Receive&, Payload&)`.
template <class Carrier>
class Simulator {
 public:
  Simulator(const Algorithm& algorithm, const Place& place, Carrier& carrier)
      : algorithm_(algorithm), place_(place), carrier_(carrier), ranks_(place.ranks), at_(index(place.ranks)) {
    mail_.assign(index(ranks_) * index(ranks_), none);
  }

  /// False: a rank waits for ever, or a message is not as expected. why() explains.
  bool run() {
    std::minstd_rand random(static_cast<unsigned>(place_.ranks));
    const Count rounds = algorithm_.rounds(place_);
    std::vector<Rank> ready(index(ranks_));
    for (Rank rank = 0; rank < ranks_; ++rank) ready[index(rank)] = rank;
    while (!ready.empty()) {
      std::swap(ready[random() % ready.size()], ready.back());
      const Rank rank = ready.back();
      ready.pop_back();
      At& at = at_[index(rank)];
      at.waiting = false;
      while (at.round < rounds && why_.empty()) {
        const Round round = algorithm_.round(place_, rank, at.round);
        if (at.received == 0 && !at.begun) begin(rank, round, ready);
        at.begun = true;
        while (at.received < round.receives.size() && take(rank, round.receives[at.received])) ++at.received;
        if (at.received < round.receives.size()) break;
        at = {.round = at.round + 1, .received = 0, .begun = false, .waiting = false, .sent = at.sent, .got = at.got};
      }
      at.waiting = true;
      if (!why_.empty()) return false;
    }
    totals_.rounds = rounds;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const At& at = at_[index(rank)];
      if (at.round < rounds) return fail(rank, "waits for ever");
      totals_.most_sent = std::max(totals_.most_sent, at.sent);
      totals_.most_received = std::max(totals_.most_received, at.got);
    }
    if (under_way_ != 0) return fail(0, "messages are left over");
    return true;
  }

  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  struct At {
    Count round = 0;
    std::size_t received = 0;
    bool begun = false;
    bool waiting = false;
    Count sent = 0, got = 0;
  };
  struct Message {
    Count round;
    Ranks what;
    Segment part;
    typename Carrier::Payload payload;
    std::int32_t next;
  };
  static constexpr std::int32_t none = -1;
  static std::size_t index(Count i) { return static_cast<std::size_t>(i); }

  std::int32_t& box(Rank from, Rank to) { return mail_[index(from) * index(ranks_) + index(to)]; }

  void begin(Rank rank, const Round& round, std::vector<Rank>& ready) {
    for (const Send& one : round.sends) {
      if (one.to < 0 || one.to >= ranks_ || one.to == rank || one.what.empty()) {
        fail(rank, "sends nothing, or to nobody");
        return;
      }
      totals_.blocks += one.what.count();
      ++at_[index(rank)].sent;
      std::int32_t fresh = none;
      if (free_.empty()) {
        fresh = static_cast<std::int32_t>(messages_.size());
        messages_.emplace_back();
      } else {
        fresh = free_.back();
        free_.pop_back();
      }
      messages_[index(fresh)] = {at_[index(rank)].round, one.what, one.part, carrier_.send(rank, one), none};
      std::int32_t* last = &box(rank, one.to);
      while (*last != none) last = &messages_[index(*last)].next;
      *last = fresh;
      ++under_way_;
      At& there = at_[index(one.to)];
      if (there.waiting) {
        there.waiting = false;
        ready.push_back(one.to);
      }
    }
  }

  bool take(Rank rank, const Receive& one) {
    if (one.from < 0 || one.from >= ranks_ || one.from == rank) return fail(rank, "receives from nobody");
    std::int32_t& first = box(one.from, rank);
    if (first == none) return false;
    const std::int32_t found = first;
    Message& message = messages_[index(found)];
    if (message.round != at_[index(rank)].round) return fail(rank, "gets a message of round " + std::to_string(message.round));
    if (!(message.what == one.what) || !(message.part == one.part)) return fail(rank, "gets something else than it expects");
    carrier_.receive(rank, one, message.payload);
    first = message.next;
    free_.push_back(found);
    --under_way_;
    ++at_[index(rank)].got;
    return true;
  }

  bool fail(Rank rank, const std::string& what) {
    if (why_.empty()) {
      why_ = std::string(algorithm_.name) + ", P = " + std::to_string(ranks_) + ": rank " + std::to_string(rank) +
             " in round " + std::to_string(at_[index(rank)].round) + " " + what;
    }
    return false;
  }

  const Algorithm& algorithm_;
  const Place& place_;
  Carrier& carrier_;
  Rank ranks_;
  std::vector<At> at_;
  std::vector<std::int32_t> mail_;  ///< First message of each pair.
  std::deque<Message> messages_;
  std::vector<std::int32_t> free_;
  Count under_way_ = 0;
  Totals totals_;
  std::string why_;
};

}  // namespace heddle::schedule
