// The protocol of docs/mailbox.md as code. Two threads are the ranks of a node, and a queue is the
// host MPI between them. Calls are random, and equal on both sides or not. ThreadSanitizer
// (scripts/test tsan) checks that each byte is handed over properly from writer to reader. It
// cannot see that between processes.
#include "engine/node/mailbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include "engine/node/loaned_slot.hpp"
#include "mail.hpp"

namespace heddle::engine::test::mailbox_test {
namespace {

constexpr Bytes room = 1000;  // in a slot
constexpr Bytes slot = Mailbox::slot_for(room);
constexpr Bytes memory_size = 2 << 20;

/// The sender's block, and what the reader expects.
enum class Kind : std::uint8_t { equal_short, equal_long, more_room, too_long, unexpected, nothing };

struct Call {
  Kind kind;
  Bytes bytes;
  int sender_naps_us, reader_naps_us;
  [[nodiscard]] bool publishes() const {
    return kind == Kind::equal_short || kind == Kind::more_room || kind == Kind::unexpected;
  }
  [[nodiscard]] bool sends() const { return kind == Kind::equal_long || kind == Kind::too_long; }
  [[nodiscard]] bool looks() const { return kind == Kind::equal_short || kind == Kind::too_long; }
  [[nodiscard]] bool expects_message() const { return kind == Kind::equal_long || kind == Kind::more_room; }
};

const std::vector<Kind> all_kinds = {Kind::equal_short, Kind::equal_long, Kind::more_room,
                                     Kind::too_long,    Kind::unexpected, Kind::nothing};

/// Of two unexpected blocks, the first must be consumed before the second comes. Only a call in
/// which both sides take part ensures that.
std::vector<Call> random_calls(int calls, std::uint32_t seed, bool naps = true, const std::vector<Kind>& kinds = all_kinds) {
  std::mt19937 random(seed);
  std::vector<Call> all;
  bool unexpected = false;
  const auto nap = [&] { return !naps || random() % 40 ? 0 : static_cast<int>(random() % 200); };
  for (int i = 0; i < calls; ++i) {
    Kind kind = kinds[random() % kinds.size()];
    if (unexpected && kind == Kind::unexpected) kind = Kind::equal_short;
    unexpected = kind == Kind::unexpected || (unexpected && kind != Kind::equal_short);
    all.push_back({kind, static_cast<Bytes>(random() % (random() % 2 ? 9 : room + 1)), nap(), nap()});
  }
  return all;
}

unsigned char said(Mailbox::Key call, Bytes at) { return static_cast<unsigned char>(31 * call + 7 * at); }

/// The host MPI: messages in order, each with the number of its call.
class Host {
 public:
  void send(Mailbox::Key call) {
    const std::lock_guard guard(lock_);
    calls_.push_back(call);
  }
  bool probe() {
    const std::lock_guard guard(lock_);
    return !calls_.empty();
  }
  Mailbox::Key receive() {
    while (!probe()) std::this_thread::yield();
    const std::lock_guard guard(lock_);
    const Mailbox::Key call = calls_.front();
    calls_.pop_front();
    return call;
  }

 private:
  std::mutex lock_;
  std::deque<Mailbox::Key> calls_;
};

void nap(int us) {
  if (us) std::this_thread::sleep_for(std::chrono::microseconds(us));
}

/// Returns the number of retracted blocks.
int run_sender(Mailbox mailbox, Host& host, const std::vector<Call>& calls) {
  int retracted = 0;
  Mailbox::Key key = 0;
  for (const Call& call : calls) {
    ++key;
    nap(call.sender_naps_us);
    if (call.publishes()) {
      while (!mailbox.has_room()) std::this_thread::yield();
      for (Bytes i = 0; i < call.bytes; ++i) mailbox.room()[i] = std::byte{said(key, i)};
      if (mailbox.publish(call.bytes, key)) continue;
      ++retracted;
      host.send(key);
    } else if (call.sends()) {
      host.send(key);
    }
  }
  return retracted;
}

void read_and_consume(Mailbox& mailbox, const Call& call, Mailbox::Key key) {
  ASSERT_EQ(mailbox.bytes(), call.bytes) << "call " << key;
  int wrong = 0;
  for (Bytes i = 0; i < call.bytes; ++i) wrong += mailbox.packed()[i] != std::byte{said(key, i)};
  EXPECT_EQ(wrong, 0) << "call " << key;
  mailbox.consume();
}

/// Returns the number of retracted blocks.
int run_reader(Mailbox mailbox, Host& host, const std::vector<Call>& calls) {
  int retracted = 0;
  Mailbox::Key key = 0;
  for (const Call& call : calls) {
    ++key;
    nap(call.reader_naps_us);
    if (call.expects_message()) {
      if (mailbox.retract(key)) {
        ++retracted;
        EXPECT_EQ(call.kind, Kind::more_room);
        read_and_consume(mailbox, call, key);
      } else {
        EXPECT_EQ(host.receive(), key);
      }
      continue;
    }
    if (!call.looks()) continue;
    for (;;) {
      Mailbox::Found found = mailbox.find(key);
      if (found == Mailbox::Found::nothing && !host.probe()) {
        std::this_thread::yield();
        continue;
      }
      if (found == Mailbox::Found::nothing) found = mailbox.find(key);  // the message may be a later call's
      if (found == Mailbox::Found::here) {
        EXPECT_EQ(call.kind, Kind::equal_short);
        read_and_consume(mailbox, call, key);
      } else {
        EXPECT_EQ(host.receive(), key);
      }
      break;
    }
  }
  mailbox.close();
  return retracted;
}

#if defined(__SANITIZE_THREAD__)
constexpr int calls_of_test = 4'000;
#else
constexpr int calls_of_test = 15'000;
#endif

std::uint32_t seed_of_run() {
  const char* wanted = std::getenv("TEST_SEED");
  return wanted ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : std::random_device{}();
}

/// The fields of a slot, for a test that writes them as another process might.
struct Header {
  std::uint64_t number;
  Bytes bytes;
  Mailbox::Key key;
};
void forge(const Mailbox& mailbox, const Header& header) {
  std::memcpy(mailbox.memory() + Mailbox::line, &header, sizeof header);
}

/// Makes the calls in two threads, and checks the results.
void carry_out(const std::vector<Call>& calls) {
  Memory memory(memory_size);
  Host host;
  const Mailbox sender = Mailbox::made(memory.base(), slot);
  int by_reader = 0;
  std::thread reader([&] { by_reader = run_reader(Mailbox::of_peer(memory.base(), slot), host, calls); });
  const int by_sender = run_sender(sender, host, calls);
  reader.join();
  EXPECT_FALSE(host.probe());
  EXPECT_TRUE(Mailbox::closed(memory.base()));
  EXPECT_GT(by_sender, 0);
  EXPECT_GT(by_reader, 0);
  EXPECT_EQ(by_sender + by_reader, std::ranges::count_if(calls, [](const Call& call) { return call.kind == Kind::more_room; }));
}

}  // namespace

TEST(Mailbox, EveryBlockArrivesOnceAndWhole) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  carry_out(random_calls(calls_of_test, seed));
}

/// Both sides retract at once, again and again. Only a few calls end without a retract.
TEST(Mailbox, RetractedFromBothSidesAtOnce) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  carry_out(random_calls(calls_of_test, seed, false,
                         {Kind::more_room, Kind::more_room, Kind::more_room, Kind::equal_short, Kind::equal_long}));
}

/// Persistent exchanges: each side publishes to the other at each start, and does not ask for room.
TEST(Mailbox, StartsGoInTurn) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Memory memory(memory_size);
  const std::array places = {memory.base(), memory.base() + Mailbox::whole(slot)};
  const std::vector<Call> sizes = random_calls(calls_of_test / 2, seed);
  const std::array ends = {Mailbox::made(places[0], slot), Mailbox::made(places[1], slot)};
  const auto run = [&](std::size_t me) {
    Mailbox out = ends[me];
    Mailbox in = Mailbox::of_peer(places[1 - me], slot);
    Mailbox::Key start = 0;
    for (const Call& call : sizes) {
      ++start;
      nap(me ? call.sender_naps_us : call.reader_naps_us);
      for (Bytes i = 0; i < call.bytes; ++i) out.room()[i] = std::byte{said(start, i)};
      out.publish_in_turn(call.bytes, start);
      while (in.find(start) != Mailbox::Found::here) std::this_thread::yield();
      read_and_consume(in, call, start);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

TEST(Mailbox, WhatNobodyExpectedIsNotInTheWayOfAMessage) {
  Memory memory(memory_size);
  Mailbox sender = Mailbox::made(memory.base(), slot);
  Mailbox reader = Mailbox::of_peer(memory.base(), slot);
  EXPECT_TRUE(sender.publish(8, 1));
  EXPECT_TRUE(sender.publish(9, 2));
  EXPECT_FALSE(sender.has_room());
  EXPECT_TRUE(reader.retract(2));
  EXPECT_EQ(reader.bytes(), 9);
  reader.consume();
  EXPECT_TRUE(sender.has_room());
  EXPECT_FALSE(reader.retract(3));
  EXPECT_FALSE(sender.publish(8, 3));  // its reader expects a message
  EXPECT_TRUE(sender.publish(8, 4));
  EXPECT_EQ(reader.find(3), Mailbox::Found::later);
  EXPECT_EQ(reader.find(4), Mailbox::Found::here);
}

TEST(Mailbox, PlacesThatAreNone) {
  constexpr Bytes size = 1 << 20, most = std::numeric_limits<Bytes>::max(), least = std::numeric_limits<Bytes>::min();
  EXPECT_TRUE(Mailbox::possible(0, 64, size));
  EXPECT_TRUE(Mailbox::possible(size - Mailbox::whole(slot_bytes), slot_bytes, size));
  for (const Bytes offset : {Bytes{-1}, Bytes{-64}, Bytes{8}, size, size - 128, size - Mailbox::whole(64) + 64, most, least})
    EXPECT_FALSE(Mailbox::possible(offset, 64, size)) << offset;
  for (const Bytes bytes : {Bytes{0}, Bytes{-64}, Bytes{24}, Bytes{100}, slot_bytes + 64, most, least, most / 64 * 64})
    EXPECT_FALSE(Mailbox::possible(0, bytes, size)) << bytes;
  EXPECT_FALSE(Mailbox::possible(0, 64, 128));
}

TEST(Mailbox, ForgedHeadersHoldNobodyUpAndNameNothingBeyondTheSlot) {
  Memory memory(memory_size);
  constexpr Bytes beyond = std::numeric_limits<Bytes>::max();
  for (const auto& [forged, seen] : {std::pair{Bytes{-1}, Mailbox::unpackable},
                                     {std::numeric_limits<Bytes>::min(), Mailbox::unpackable},
                                     {slot - Mailbox::header, slot - Mailbox::header},
                                     {slot - Mailbox::header + 1, beyond},
                                     {beyond, beyond}}) {
    Mailbox sender = Mailbox::made(memory.base(), slot);
    Mailbox reader = Mailbox::of_peer(memory.base(), slot);
    forge(sender, {1, forged, 5});
    EXPECT_EQ(reader.find(5), Mailbox::Found::here);
    EXPECT_EQ(reader.bytes(), seen) << forged;
  }
  for (const auto& [number, key, expected] :
       {std::tuple{std::uint64_t{1}, Mailbox::Key{6}, Mailbox::Found::later},
        {std::uint64_t{1}, std::numeric_limits<Mailbox::Key>::max(), Mailbox::Found::later},
        {std::uint64_t{1}, Mailbox::Key{4}, Mailbox::Found::nothing},
        {std::uint64_t{1}, Mailbox::Key{-4}, Mailbox::Found::nothing},
        {std::uint64_t{3}, Mailbox::Key{5}, Mailbox::Found::nothing},
        {~std::uint64_t{0}, Mailbox::Key{5}, Mailbox::Found::nothing}}) {
    Mailbox sender = Mailbox::made(memory.base(), slot);
    Mailbox reader = Mailbox::of_peer(memory.base(), slot);
    forge(sender, {number, 8, key});
    EXPECT_FALSE(reader.retract(5)) << number << " " << key;
    forge(sender, {number, 8, key});
    EXPECT_EQ(reader.find(5), expected) << number << " " << key;
  }
}

/// Owners go while readers still read, and slots are lent again. A slot that is read is not lent.
TEST(LoanedSlot, StaysUntilItsReadersHaveClosed) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  constexpr Bytes size = Bytes{32} << 20;
  constexpr int readers = 3, turns = 300;
  Memory memory(size);
  Arena arena(memory.base(), size);
  ScratchPool scratch_pool;
  const auto no_time = []() -> std::int64_t { return 0; };
  Distances distances{1, no_time};
  RendezvousSender rendezvous_sender(arena, {}, 0, no_time, true, {&scratch_pool, distances});
  Loans loans(rendezvous_sender);
  std::mt19937 random(seed);
  std::vector<std::thread> reading;
  std::atomic<int> open{0};
  for (int turn = 0; turn < turns; ++turn) {
    LoanedSlot loaned = loans.lend(readers);
    if (!loaned) {  // too many slots are read now
      std::this_thread::yield();
      continue;
    }
    for (int i = 0; i < readers; ++i) {
      Mailbox mailbox = loaned.mailbox(slot);
      ASSERT_TRUE(mailbox);
      std::memset(mailbox.room(), turn % 251, static_cast<std::size_t>(room));
      EXPECT_TRUE(mailbox.publish(room, 1));
      if (random() % 4 == 0) continue;  // it is not read
      loaned.is_read(mailbox);
      const int nap_us = random() % 8 ? 0 : static_cast<int>(random() % 500);
      ++open;
      reading.emplace_back([at = mailbox.memory(), nap_us, turn, &open] {
        nap(nap_us);
        Mailbox mine = Mailbox::of_peer(at, slot);
        EXPECT_EQ(mine.find(1), Mailbox::Found::here);
        EXPECT_EQ(std::count(mine.packed(), mine.packed() + room, std::byte(turn % 251)), room);
        --open;
        mine.close();
      });
    }
    while (open > 40) std::this_thread::yield();
  }
  for (std::thread& each : reading) each.join();
  // All slots are back: the most that can be lent are lent at once.
  std::vector<LoanedSlot> all;
  for (int i = 0; i < Loans::most; ++i) EXPECT_TRUE(all.emplace_back(loans.lend(1))) << i;
  EXPECT_FALSE(loans.lend(1));
  EXPECT_FALSE(all.back().mailbox(slot_bytes));  // does not fit
}

}  // namespace heddle::engine::test::mailbox_test
