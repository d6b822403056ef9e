// transport/fabric/self_test.cpp: writes with notification, and reads, with odd pieces on both
// sides.
#include "transport/fabric/self_test.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace heddle::transport::fabric {
namespace {

constexpr Bytes area = 16 << 10;

struct Side {
  Endpoint& endpoint;
  std::vector<std::byte> memory = std::vector<std::byte>(area);
  Region region;

  explicit Side(Endpoint& owner) : endpoint(owner) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() { endpoint.release(region); }
  bool enlist() { return endpoint.enlist(memory.data(), area, true, region) == 0; }
};

/// `pieces` of odd lengths with odd gaps: (offset, length), `total` bytes in all.
std::vector<std::pair<Bytes, Bytes>> cut(Bytes total, std::size_t pieces, Bytes first) {
  std::vector<std::pair<Bytes, Bytes>> cuts;
  Bytes at = first;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Bytes left = total;
    const Bytes length = i + 1 == pieces ? left : std::min<Bytes>(left - static_cast<Bytes>(pieces - i - 1), 1 + 74 * (i % 5));
    cuts.emplace_back(at, length);
    at += length + 13 + 2 * static_cast<Bytes>(i);
    total -= length;
  }
  return cuts;
}

class Trial {
 public:
  Trial(Side& near, Side& far, Handle peer, Clock clock, std::int64_t patience)
      : near_(near), far_(far), peer_(peer), clock_(clock), patience_(patience) {}

  /// Runs one operation. Empty: it works.
  std::string run(Post::Kind kind, std::size_t local, std::size_t remote, bool notify) {
    const Bytes total = 2011 + 2 * static_cast<Bytes>(turn_);
    const auto here = cut(total, local, 5);
    const auto there = cut(total, remote, 9);
    for (Side* side : {&near_, &far_})
      for (std::byte& byte : side->memory) byte = static_cast<std::byte>(random_ = random_ * 1103515245 + 12345);
    std::vector<iovec> pieces;
    std::vector<void*> descriptors(here.size(), near_.region.descriptor);
    std::vector<Remote> places;
    for (const auto& [at, length] : here) pieces.push_back({near_.memory.data() + at, static_cast<std::size_t>(length)});
    for (const auto& [at, length] : there)
      places.push_back({far_.region.address_of(far_.memory.data() + at), static_cast<std::uint64_t>(length), far_.region.key});

    const bool writes = kind == Post::write;
    std::vector<std::byte> expected = writes ? far_.memory : near_.memory;
    copy(writes ? near_.memory : far_.memory, writes ? here : there, expected, writes ? there : here);

    const std::string what = std::string(writes ? "a write of " : "a read into ") + std::to_string(local) + " pieces " +
                             (writes ? "into " : "of ") + std::to_string(remote);
    const std::uint32_t data = 0xa5000000U + ++turn_;
    Post post{.kind = kind, .to = peer_, .local = pieces, .descriptors = descriptors, .remote = places};
    if (notify) post.data = data;
    Operation& operation = operations_.emplace_back();
    bool completed = false;
    bool notified = !notify;
    std::int64_t until = clock_() + patience_;
    for (bool posted = false; !completed || !notified;) {
      if (clock_() > until) return what + " never ended";
      if (!posted) {
        int error = 0;
        const Posted answer = near_.endpoint.post(post, operation, &error);
        if (answer == Posted::broken) return what + " was refused (" + near_.endpoint.words(error) + ")";
        posted = answer == Posted::yes;
      }
      std::array<Event, 8> events;
      const std::size_t near_events = near_.endpoint.poll(events);
      for (std::size_t i = 0; i < near_events; ++i) {
        if (events[i].error != 0) return what + " failed (" + near_.endpoint.words(events[i].error) + ")";
        if (events[i].operation == &operation) completed = true;
      }
      const std::size_t far_events = far_.endpoint.poll(events);
      for (std::size_t i = 0; i < far_events; ++i) {
        if (events[i].kind != Event::notified) continue;
        const auto arrived = static_cast<std::uint32_t>(events[i].data);
        if (arrived >> 24 == 0xa5U && arrived < data) continue;  // from a trial that was given up
        if (arrived != data) return what + " brought other remote CQ data";
        notified = true;
        // The provider claims that the data is here when the notification comes, not only when the
        // sender's operation completes.
        if (far_.memory != expected) return "bytes were wrong when the notification of " + what + " came";
      }
    }
    return (writes ? far_.memory : near_.memory) == expected ? "" : "bytes are wrong after " + what;
  }

 private:
  using Cuts = std::vector<std::pair<Bytes, Bytes>>;
  static void copy(const std::vector<std::byte>& from, const Cuts& out_of, std::vector<std::byte>& to, const Cuts& into) {
    std::vector<std::byte> stream;
    for (const auto& [at, length] : out_of) stream.insert(stream.end(), from.begin() + at, from.begin() + at + length);
    auto next = stream.begin();
    for (const auto& [at, length] : into) {
      std::copy(next, next + length, to.begin() + at);
      next += length;
    }
  }

  Side& near_;
  Side& far_;
  Handle peer_;
  Clock clock_;
  std::int64_t patience_;
  std::uint32_t random_ = 1;
  std::uint32_t turn_ = 0;
  std::deque<Operation> operations_;  // one for each trial, because trials that were given up may still complete
};

}  // namespace

Tried self_test(Endpoint& here, Endpoint& there, Clock clock, std::int64_t patience_ns) {
  Tried tried{.abilities = here.abilities()};
  Abilities& can = tried.abilities;
  const auto unsound = [&](Failure failure, const std::string& why) {
    tried.failure = failure;
    tried.why = can.provider + ": " + why;
    return tried;
  };
  Handle peer = 0;
  if (!here.connect(there.address(), peer)) return unsound(Failure::unsound, "its own address is refused");
  Side near(here);
  Side far(there);
  if (!near.enlist() || !far.enlist()) return unsound(Failure::registration, "16 KiB of memory could not be registered");

  Trial trial(near, far, peer, clock, patience_ns);
  for (const bool write : {true, false})
    if (std::string why = trial.run(write ? Post::write : Post::read, 1, 1, write); !why.empty())
      return unsound(Failure::unsound, why);
  const auto take_back = [&](std::size_t& limit, const std::string& why) {
    limit = 1;
    tried.why += (tried.why.empty() ? can.provider + ": " : "; ") + why + ", so one piece at a time";
  };
  for (int round = 0; round < 2; ++round)
    for (const Post::Kind kind : {Post::write, Post::read}) {
      if (can.iov > 1)
        if (const std::string why = trial.run(kind, can.iov, 1, kind == Post::write); !why.empty()) take_back(can.iov, why);
      if (can.rma_iov > 1)
        if (const std::string why = trial.run(kind, can.iov, can.rma_iov, kind == Post::write); !why.empty())
          take_back(can.rma_iov, why);
    }
  return tried;
}

}  // namespace heddle::transport::fabric
