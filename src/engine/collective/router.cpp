// engine/collective/router.cpp: fills bundles, sends them by the rounds of the schedule, and takes
// arriving bundles apart.
#include "engine/collective/router.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "schedule/algorithms.hpp"

namespace heddle::engine {
namespace {

struct Head {
  Bytes bytes;  ///< Of the whole bundle.
  std::int64_t packets;
};
struct Heading {
  Rank from;
  Rank to;
  Bytes bytes;
};
static_assert(sizeof(Head) == 16 && sizeof(Heading) == 16);

/// The first message is no longer than this: hosts send that much eagerly.
constexpr Bytes first_room = 8 << 10;
/// No message is longer than this: lengths of pieces are int in MPI.
constexpr Bytes most_in_one = Bytes{1} << 30;

/// Cuts the rest of a bundle into messages. each() gets begin and end of every message, in order.
template <class Each>
void cut_rest(Bytes bytes, int channels, Bytes segment, Each each) {
  const Bytes rest = bytes - first_room;
  if (rest <= 0) return;
  const Bytes longest = segment > 0 ? std::min(segment, most_in_one) : most_in_one;
  for (int channel = 0; channel < channels; ++channel) {
    const schedule::Window window = schedule::window({channel, channels}, rest);
    for (Bytes begin = window.begin; begin < window.end; begin += longest)
      each(first_room + begin, first_room + std::min(begin + longest, window.end));
  }
}

/// A stream of pieces that is sent while it grows.
class Stream {
 public:
  void add(const std::byte* at, Bytes bytes) {
    if (bytes == 0) return;
    if (!pieces_.empty() && pieces_.back().at + pieces_.back().bytes == at)
      pieces_.back().bytes += bytes;
    else
      pieces_.push_back({at, bytes});
    end_ += bytes;
  }
  [[nodiscard]] Bytes end() const { return end_; }
  /// The next `bytes` of the stream, which are there already.
  std::span<const Piece> next(Bytes bytes) {
    cut_.clear();
    while (bytes > 0) {
      const Piece& piece = pieces_[index_];
      if (within_ == piece.bytes) {
        ++index_;
        within_ = 0;
        continue;
      }
      const Bytes now = std::min(bytes, piece.bytes - within_);
      cut_.push_back({piece.at + within_, now});
      bytes -= now;
      within_ += now;
    }
    return cut_;
  }

 private:
  std::vector<Piece> pieces_, cut_;
  std::size_t index_ = 0;
  Bytes within_ = 0;
  Bytes end_ = 0;
};

std::unique_ptr<std::byte[]> room_for(Bytes bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

}  // namespace

/// A bundle on its way in.
struct Router::Coming {
  Rank from;
  int channels;
  Memory memory;
  Channel::Ticket first;
  Bytes first_end = 0;
  std::vector<std::pair<Channel::Ticket, Bytes>> rest{};  ///< Each receive, with the end of its bytes.
  std::int64_t packets = 0, taken = 0;
  Bytes reached = 0;  ///< Start of the next packet.
};

Router::Router(const schedule::Place& place, Rank me, const Options& options, Channel& channel, Freight& freight)
    : algorithm_(options.algorithm ? *options.algorithm : schedule::exchange_crystal),
      place_(place),
      me_(me),
      options_(options),
      channel_(channel),
      freight_(freight) {}
Router::~Router() = default;

std::byte* Router::keep(Bytes bytes) {
  kept_.push_back(room_for(bytes));
  return kept_.back().get();
}

/// Copies the packet's bytes into memory that the router keeps.
const std::byte* Router::copy(const Packet& packet) {
  std::byte* to = keep(packet.bytes);
  if (!packet.at) {
    freight_.pack(packet.number, to);
  } else if (packet.bytes > 0) {
    std::memcpy(to, packet.at, static_cast<std::size_t>(packet.bytes));
    tally_.copied += packet.bytes;
  }
  return to;
}

void Router::add(Rank to, Bytes bytes, const std::byte* at, std::size_t number) {
  Packet packet{me_, to, bytes, bytes == 0 ? nullptr : at, number};
  const bool at_hand = packet.at || bytes == 0;
  if (options_.copies || (to == me_ && !at_hand)) packet.at = copy(packet);
  (to == me_ ? arrived_ : held_).push_back(packet);
}

void Router::announce(Rank to, Bytes bytes) {
  const Packet packet{me_, to, bytes, nullptr, 0, true};
  (to == me_ ? arrived_ : held_).push_back(packet);
}

schedule::Count Router::rounds() const { return algorithm_.rounds(place_); }

void Router::run() {
  for (schedule::Count k = 0; k < rounds(); ++k) {
    send(k);
    receive();
  }
}

void Router::send(schedule::Count k) {
  const schedule::Round round = algorithm_.round(place_, me_, k);
  for (const schedule::Receive& one : round.receives) {
    if (one.part.index != 0) continue;  // the channels of one bundle
    Coming bundle{.from = one.from, .channels = static_cast<int>(one.part.of), .memory = room_for(first_room), .first = 0};
    bundle.first = channel_.receive(one.from, bundle.memory.get(), first_room);
    coming_.push_back(std::move(bundle));
  }
  std::vector<Packet> going;
  for (const schedule::Send& one : round.sends) {
    if (one.part.index != 0) continue;
    going.clear();
    const auto stays =
        std::stable_partition(held_.begin(), held_.end(), [&](const Packet& packet) { return !one.what.contains(packet.to); });
    going.assign(stays, held_.end());
    held_.erase(stays, held_.end());
    send_bundle(one.to, static_cast<int>(one.part.of), going);
  }
}

void Router::send_bundle(Rank to, int channels, std::vector<Packet>& packets) {
  const auto referred = [&](const Packet& p) { return p.at && p.carried() >= options_.by_reference && !options_.copies; };
  const auto headings = static_cast<Bytes>(sizeof(Head) + packets.size() * sizeof(Heading));
  Bytes total = headings;
  Bytes own = headings;
  for (const Packet& packet : packets) {
    total += packet.carried();
    if (!referred(packet)) own += packet.carried();
  }
  tally_.packets += static_cast<std::int64_t>(packets.size());
  leaving_.push_back(room_for(own));
  std::byte* write = leaving_.back().get();
  const Head head{total, static_cast<std::int64_t>(packets.size())};
  std::memcpy(write, &head, sizeof head);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = packets[i];
    const Heading heading{packet.from, packet.to, packet.beside ? -packet.bytes : packet.bytes};
    std::memcpy(write + sizeof head + i * sizeof heading, &heading, sizeof heading);
  }

  Stream stream;
  stream.add(write, headings);
  write += headings;
  std::vector<Bytes> ends{std::min(total, first_room)};
  cut_rest(total, channels, options_.segment, [&](Bytes /*begin*/, Bytes end) { ends.push_back(end); });
  Bytes sent = 0;
  std::size_t next = 0;
  const auto send_what_is_there = [&] {
    for (; next < ends.size() && ends[next] <= stream.end(); ++next) {
      channel_.send(to, stream.next(ends[next] - sent));
      ++tally_.messages;
      sent = ends[next];
    }
  };
  for (const Packet& packet : packets) {
    if (referred(packet)) {
      stream.add(packet.at, packet.bytes);
    } else {
      if (packet.at && packet.carried() > 0) {
        std::memcpy(write, packet.at, static_cast<std::size_t>(packet.bytes));
        tally_.copied += packet.bytes;
      } else if (packet.carried() > 0) {
        freight_.pack(packet.number, write);
      }
      stream.add(write, packet.carried());
      write += packet.carried();
    }
    if (options_.segment > 0) send_what_is_there();  // they travel while the next packet is packed
  }
  send_what_is_there();
  tally_.sent += total;
}

/// Takes those packets of a bundle whose bytes are there.
void Router::take(Coming& bundle, Bytes there) {
  const std::byte* memory = bundle.memory.get();
  while (bundle.taken < bundle.packets) {
    const Bytes heading_at = static_cast<Bytes>(sizeof(Head)) + bundle.taken * static_cast<Bytes>(sizeof(Heading));
    if (heading_at + static_cast<Bytes>(sizeof(Heading)) > there) return;
    Heading heading;
    std::memcpy(&heading, memory + heading_at, sizeof heading);
    const bool beside = heading.bytes < 0;
    Packet packet{heading.from, heading.to, beside ? -heading.bytes : heading.bytes, nullptr, 0, beside};
    if (bundle.reached + packet.carried() > there) return;
    if (!beside) packet.at = memory + bundle.reached;
    if (!beside && options_.copies) packet.at = copy(packet);
    (packet.to == me_ ? arrived_ : held_).push_back(packet);
    bundle.reached += packet.carried();
    ++bundle.taken;
  }
}

void Router::wait(Channel::Ticket ticket) {
  channel_.received(ticket, true);
  channel_.check();
}

/// Waits for the first message, which describes the others.
void Router::open(Coming& bundle) {
  wait(bundle.first);
  Head head;
  std::memcpy(&head, bundle.memory.get(), sizeof head);
  const Bytes headings = static_cast<Bytes>(sizeof(Head)) + head.packets * static_cast<Bytes>(sizeof(Heading));
  if (head.packets < 0 || head.bytes < headings) throw std::runtime_error("no bundle");
  bundle.first_end = std::min(head.bytes, first_room);
  bundle.packets = head.packets;
  bundle.reached = headings;
  if (head.bytes > first_room) {
    Memory whole = room_for(head.bytes);
    std::memcpy(whole.get(), bundle.memory.get(), static_cast<std::size_t>(first_room));
    tally_.copied += first_room;
    bundle.memory = std::move(whole);
    cut_rest(head.bytes, bundle.channels, options_.segment, [&](Bytes begin, Bytes end) {
      bundle.rest.emplace_back(channel_.receive(bundle.from, bundle.memory.get() + begin, end - begin), end);
    });
  }
}

void Router::receive() {
  // Receives for the rest of all bundles are posted before the first wait.
  for (Coming& bundle : coming_) open(bundle);
  for (Coming& bundle : coming_) {
    take(bundle, bundle.first_end);
    for (const auto& [ticket, end] : bundle.rest) {
      wait(ticket);
      take(bundle, end);
    }
    if (bundle.taken != bundle.packets) throw std::runtime_error("a bundle is shorter than its headings say");
    if (!options_.copies) kept_.push_back(std::move(bundle.memory));
  }
  coming_.clear();
  channel_.finished(true);
  channel_.check();
  leaving_.clear();
}

}  // namespace heddle::engine
