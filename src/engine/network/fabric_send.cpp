// engine/network/fabric_send.cpp: the states of such a send: announced, answered, or given to the
// host.
#include "engine/network/fabric_send.hpp"

#include <cstring>
#include <utility>

#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

namespace fabric = transport::fabric;

/// ns within which a receiver must answer, or the host gets its message. The time of a few time
/// slices of a busy machine, and of packing.
std::int64_t patience_for(Bytes bytes) noexcept { return 10'000'000 + bytes; }

}  // namespace

std::optional<fabric::Plan> plan_of(Network& network, int to, const Offer& offer, const Wish& wish) {
  const Bytes block = offer.piece ? network.scattered_by(to) : 0;
  if (offer.piece && block == 0 && !wish.forced) return {};
  const select::Side receiver = select::Side::blocks_of(offer.bytes, block);
  const select::FabricFacts facts{
      .bytes = offer.bytes,
      .side = offer.piece ? select::Side::one_piece(offer.bytes) : offer.statistics->of(offer.count),
      .end = select::End::sender,
      .network = &network.costs(),
      .receiver = block > 0 ? &receiver : nullptr,
      .kept = offer.kept || network.keeps_registrations(),
      .segment = wish.segment > 0 ? wish.segment : select::fabric_segment(offer.bytes),
      .profile = &network.profile()};
  if (!wish.forced && !select::pays(facts)) return {};
  const select::FabricEnd end = select::end_of(facts, wish.scheme);
  return fabric::Plan{.if_unpacks = end.in_place ? fabric::FabricScheme::rwg_up : fabric::FabricScheme::bc_spup,
                      .if_in_place = end.offers ? fabric::FabricScheme::p_rrs : fabric::FabricScheme::multi_w,
                      .segment = facts.segment};
}

bool NetworkSend::open(const fabric::Elements& data, const fabric::Plan& plan, int tag, std::uint32_t context) {
  if (!network_.contexts().may_announce(to_, context)) return false;
  const Network::Access access(network_);
  data_ = data;
  message_ = std::make_unique<fabric::Outgoing>(*access, data, plan);
  if (message_->state() != fabric::State::working || !network_.contexts().announce(to_, context)) {
    message_.reset();
    return false;
  }
  network_.begins();
  counted_ = true;
  descriptor_.nonce = network_.nonce();
  descriptor_.sender = network_.me();
  descriptor_.announcement = message_->announcement();
  descriptor_.total = descriptor_.announcement.total;
  descriptor_.tag = tag;
  descriptor_.context = context;
  descriptor_.asks = network_.contexts().asks(to_, context);
  order_ = network_.next_order();
  seal(descriptor_);
  since_ = fabric::steady_ns();
  return true;
}

void NetworkSend::give_up() noexcept {
  close();
  end();
}

void NetworkSend::close() noexcept {
  if (!message_) return;
  const Network::Access access(network_);
  message_.reset();
}

/// Until this call the thread answers late receivers.
bool NetworkSend::end() noexcept {
  if (std::exchange(counted_, false)) network_.ends();
  return true;
}

/// A message that the receiver has answered has a receiver: then `unwanted` does not count.
bool NetworkSend::hears(const Word& word, int from) noexcept {
  const bool under_way = message_ || failed_;
  if (from != to_ || word.number != number() || !under_way) return false;
  if (word.kind == Word::unwanted) unwanted_ = !answered_;
  return true;
}

/// failed: the host has to bring the message.
fabric::State NetworkSend::look_at_message() noexcept {
  const Network::Access access(network_);
  const fabric::State state = message_->state();
  using enum fabric::Failure;
  if (state == fabric::State::failed)
    broken_ = message_->failure() == peer || message_->failure() == completion || message_->failure() == closed;
  answered_ = answered_ || message_->answered();
  const bool late = !answered_ && fabric::steady_ns() - since_ > patience_for(descriptor_.total);
  if (state != fabric::State::working || !late) return state;
  message_.reset();  // now, before an answer comes: a later answer is refused
  return fabric::State::failed;
}

/// Packs the message: from here on the program may use its buffer. False: there is no memory now.
bool NetworkSend::hand_to_host() noexcept {
  if (handed_) return true;
  constexpr Bytes behind = sizeof(PackedTrailer);
  if (!packed_.data() && !packed_.reserve(descriptor_.total + behind)) return false;
  {
    const report::Stopwatch watch(reported_.times(), &report::Times::pack);
    layout::pack(*data_.layout, data_.count, data_.base, packed_.data());
    const PackedTrailer trailer{.number = number(), .tag = descriptor_.tag, .order = order_, .context = descriptor_.context};
    std::memcpy(packed_.data() + descriptor_.total, &trailer, sizeof trailer);
  }
  close();
  handed_ = send_packed(packed_.data(), descriptor_.total + behind);
  if (handed_) reported_.end(*data_.layout, "packed", descriptor_.total);
  return handed_;
}

bool NetworkSend::carry_on() noexcept {
  if (!begun_.load(std::memory_order_acquire)) return false;
  const bool announced = descriptor_is_received();
  if (message_ && !failed_) {
    const fabric::State state = unwanted_ ? fabric::State::done : look_at_message();
    failed_ = state == fabric::State::failed;
    if (state == fabric::State::done) {
      if (report::Times* const times = reported_.times(); times && waits_)
        times->wait += static_cast<double>(fabric::steady_ns() - since_);
      if (!unwanted_) reported_.end(*data_.layout, name_of(message_->scheme()), descriptor_.total);
      close();
      set_over();
    }
  }
  if (std::exchange(broken_, false)) network_.doubt(to_);
  if (!failed_) return !message_ && announced && end();
  if (!hand_to_host()) return false;
  set_over();
  return announced && packed_is_received() && end();
}

/// That call may wait for the receiver, which may wait for this message.
void NetworkSend::carry_on_within_host() noexcept {
  if (!begun_.load(std::memory_order_acquire) || unwanted_) return;
  if (message_ && !failed_) failed_ = look_at_message() == fabric::State::failed;
  if (failed_) hand_to_host();
}

}  // namespace heddle::engine
