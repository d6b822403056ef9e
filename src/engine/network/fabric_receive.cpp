// engine/network/fabric_receive.cpp: the states of such a receive, from the host's bytes to the
// answer and the end.
#include "engine/network/fabric_receive.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

namespace fabric = transport::fabric;

/// ns from one look for packed bytes to the next, while the fabric has not brought the message.
constexpr std::int64_t between_probes = 1'000'000;

}  // namespace

const char* NetworkReceive::complaint_of(End how) noexcept {
  if (how == End::unsound)
    return "the announcement of a message from another node has arrived damaged; the receive fails. Set HEDDLE_FABRIC=off.";
  if (how == End::lost)
    return "a message between nodes was lost by the fabric after its sender had been told that it was there; the receive "
           "fails. Set HEDDLE_FABRIC=off.";
  return nullptr;
}

void NetworkReceive::close() noexcept {
  if (!message_) return;
  const Network::Access access(network_);
  message_.reset();
  network_.ends();
}

bool NetworkReceive::end(End how) noexcept {
  ended(how);
  close();
  set_over();
  return true;
}

bool NetworkReceive::read_descriptor(void* arrived) noexcept {
  const bool sound = read(arrived, network_.nonce(), network_.ranks(), descriptor_);
  std::memset(arrived, 0, sizeof(Nonce));
  if (!sound) end(End::unsound);
  return sound;
}

void NetworkReceive::fetch(const Landing& landing) noexcept {
  landing_ = landing;
  since_ = fabric::steady_ns();
  if (!stages()) {
    network_.tell_sender(descriptor_, Word::unwanted);
    end(End::no_memory);
    return;
  }
  stage_ = Stage::by_fabric;
  if (!answer()) take_from_host();
}

/// Makes a staging buffer for a message that is longer than the program's buffer, or has a type
/// that Heddle cannot decode. False: no memory.
bool NetworkReceive::stages() noexcept {
  if (landing_.elements.layout && descriptor_.total <= landing_.room) return true;
  stream_ = layout::contiguous(descriptor_.total, layout::basic(1));
  return packed_.reserve(descriptor_.total + Bytes{sizeof(PackedTrailer)});
}

/// False: it cannot come by the fabric.
bool NetworkReceive::answer() noexcept try {
  look_for_packed();
  if (packed_comes_ || !network_.open()) return false;
  fabric::Acceptance acceptance;
  if (landing_.statistics && !packed_.data()) {
    const select::FabricFacts facts{
        .bytes = descriptor_.total,
        .side = landing_.piece ? select::Side::one_piece(descriptor_.total) : landing_.statistics->of(landing_.elements.count),
        .end = select::End::receiver,
        .network = &network_.costs(),
        .reads = descriptor_.announcement.if_in_place == fabric::FabricScheme::p_rrs,
        .kept = landing_.kept || network_.keeps_registrations(),
        .segment = std::max<Bytes>(descriptor_.announcement.segment, 1),
        .profile = &network_.profile()};
    acceptance.in_place = select::end_of(facts, landing_.scheme).in_place;
    acceptance.kept = landing_.kept;
  }
  const Network::Access access(network_);
  const fabric::Elements target = packed_.data() ? fabric::Elements{&stream_, 1, packed_.data()} : landing_.elements;
  message_ = std::make_unique<fabric::Incoming>(*access, descriptor_.announcement, target, acceptance);
  network_.begins();
  return true;
} catch (const std::exception&) {
  return false;
}

void NetworkReceive::look_for_packed() noexcept {
  looked_ = fabric::steady_ns();
  packed_comes_ = packed_comes_ || packed_comes();
}

/// The sender has packed the message, so it has nothing under way any more, and our answer may
/// never reach it. False: our reads have not ended yet.
bool NetworkReceive::withdraw() noexcept try {
  {
    const Network::Access access(network_);
    if (message_->state() == fabric::State::working && !message_->withdraw()) return false;
  }
  network_.part(std::move(message_));
  take_from_host();
  return true;
} catch (const std::exception&) {
  return false;  // no memory: again later
}

bool NetworkReceive::by_fabric() noexcept {
  fabric::State state = fabric::State::working;
  {
    const Network::Access access(network_);
    state = message_->state();
  }
  if (state == fabric::State::working) {
    if (!packed_comes_ && fabric::steady_ns() - looked_ > between_probes) look_for_packed();
    return packed_comes_ && withdraw() && over();
  }
  if (state == fabric::State::done) {
    if (report::Times* const times = reported_.times(); times && waits_)
      times->wait += static_cast<double>(fabric::steady_ns() - since_);
    return put_in_place(name_of(message_->scheme()));
  }
  close();
  take_from_host();
  if (!packed_comes_) network_.tell_sender(descriptor_, Word::lost);
  return over();
}

/// The sender has no packed bytes for the message. If none are on their way already, the message is
/// lost.
bool NetworkReceive::hears(const Word& word, int from) noexcept {
  if (stage_ != Stage::by_host || over() || from != descriptor_.sender || word.number != descriptor_.announcement.from ||
      word.kind != Word::gone)
    return false;
  if (cancel_packed()) end(End::lost);
  return true;
}

/// The sender has packed the message, or will pack it when it finds that the fabric has failed.
void NetworkReceive::take_from_host() noexcept {
  stage_ = Stage::by_host;
  constexpr Bytes behind = sizeof(PackedTrailer);
  if (!packed_.data() && !packed_.reserve(descriptor_.total + behind))
    end(End::no_memory);
  else if (!receive_packed(packed_.data(), descriptor_.total + behind))
    end(End::as_host_says);
}

bool NetworkReceive::by_host() noexcept {
  const Packed now = look_at_packed();
  if (now == Packed::refused) return end(End::as_host_says);
  return now == Packed::here && put_in_place("packed");
}

bool NetworkReceive::awaits(std::uint32_t number, int from) const noexcept {
  if (over() || stage_ == Stage::lost) return false;
  if (stage_ == Stage::posted) return stands(number, from);
  return descriptor_.sender == from && descriptor_.announcement.from == number;
}

bool NetworkReceive::bring(int sender, const std::byte* packed, Bytes total, const Landing& landing) noexcept {
  stage_ = Stage::by_host;
  landing_ = landing;
  descriptor_.sender = sender;
  descriptor_.total = total;
  if (!packed_.reserve(total)) return end(End::no_memory);
  std::memcpy(packed_.data(), packed, static_cast<std::size_t>(total));
  return put_in_place("packed");
}

/// Puts the message in place, if it has come into the staging buffer.
bool NetworkReceive::put_in_place(const char* way) noexcept {
  const auto& [layout, count, base] = landing_.elements;
  const Bytes bytes = std::min(descriptor_.total, landing_.room);
  if (packed_.data()) {
    const report::Stopwatch watch(reported_.times(), &report::Times::copy);
    if (layout)
      layout::unpack_range(*layout, count, base, 0, bytes, packed_.data());
    else if (!unpack(packed_.data(), bytes))
      return end(End::as_host_says);
  }
  if (layout) reported_.end(*layout, way, bytes);
  return end(bytes == descriptor_.total ? End::whole : End::truncated);
}

bool NetworkReceive::carry_on() noexcept {
  if (over()) return true;
  if (!begun_.load(std::memory_order_acquire)) return false;
  switch (stage_) {
    case Stage::posted:
      return look_at_posted();
    case Stage::by_fabric:
      return by_fabric();
    case Stage::by_host:
      return by_host();
    case Stage::lost:
      return look_for_lost();
  }
  return false;
}

}  // namespace heddle::engine
