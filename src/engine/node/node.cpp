// engine/node/node.cpp: puts the parts of the shared state together, and hands them to one message
// (Reach).
#include "engine/node/node.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "engine/node/descriptor.hpp"
#include "select/left_to_host.hpp"

namespace heddle::engine {
namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Most staged bytes lie in the first chunk of the node memory. It gets a huge page when so many
/// times its size have been sent. Not before: the kernel may take some ms to make room for a huge
/// page, and many jobs send little. With more ranks than cores it may take minutes
/// (transport::HugePages), so none is asked for.
constexpr Bytes first_chunk = Bytes{2} << 20;
constexpr Bytes huge_after = 32 * first_chunk;

}  // namespace

Node::Node(std::unique_ptr<transport::JoinedNode> transport, const Nonce& nonce, const Options& options)
    : transport_(std::move(transport)),
      nonce_(nonce),
      arena_(transport_->memory(transport_->me()), transport_->memory_size(), transport::open_owned, transport::release_owned),
      distances_(transport_->size(), now_ns),
      rendezvous_sender_(arena_, nonce, static_cast<std::uint32_t>(transport_->me()), now_ns, options.crowded,
                         {&scratch_pool_, distances_}),
      scatter_hints_(arena_.base()),
      shared_(*transport_, transport::Commit::as_the_system,
              rendezvous_sender_.crowded() ? transport::HugePages::never : transport::HugePages::when_used),
      profile_(options.profile),
      threshold_(std::max(options.threshold, Bytes{sizeof(Descriptor)})),
      moves_pieces_(options.moves_pieces && !rendezvous_sender_.crowded()) {}

Reach Node::reach(int peer) noexcept {
  return {.memory = transport_->memory(peer),
          .memory_size = transport_->memory_size(),
          .opens = transport_.get(),
          .peer = peer,
          .transports = &transport_->transports(),
          .copier = copier(peer),
          .own = peer == me() ? &rendezvous_sender_ : nullptr,
          .known = &known_,
          .scratch_pool = &scratch_pool_,
          .distances = &distances_,
          .crowded = crowded()};
}

std::optional<Bytes> Node::announced(const void* arrived, Bytes length) const noexcept {
  Descriptor descriptor;
  if (!Lengths::possible(length) || !is_descriptor(arrived, nonce_) || length_of(arrived) != length ||
      !read(arrived, nonce_, static_cast<std::uint32_t>(size()), memory_size(), descriptor))
    return {};
  return descriptor.total;
}

const Control* Node::control_of(const Unclaimed::Suspect& suspect) noexcept {
  const int sender = static_cast<int>(suspect.sender);
  std::byte* const memory = sender < size() ? transport_->memory(sender) : nullptr;
  const bool open = memory && transport_->open(sender, control_end(suspect.control, memory_size()));
  return open ? control_at(suspect.control, memory, memory_size()) : nullptr;
}

bool Node::note_sent(Bytes bytes) noexcept {
  const Bytes before = sent_.fetch_add(bytes, std::memory_order_relaxed);
  if (before >= huge_after || before + bytes < huge_after || crowded()) return true;
  return transport::prefault_owned(arena_.base(), std::min(first_chunk, memory_size()));
}

bool Node::better_by_host(int peer, Bytes bytes, bool blocking) noexcept {
  const select::Nearby message{
      .own = peer == me(), .blocking = blocking, .crowded = crowded(), .line = static_cast<double>(distances_.line(peer))};
  return select::left_to_host(message) && (message.own || bytes < Distances::worthwhile || !distances_.due(peer));
}

void Node::tell_to_scatter(int peer) noexcept {
  if (std::byte* memory = transport_->memory(peer)) ScatterHints(memory).set(transport_->me());
}

}  // namespace heddle::engine
