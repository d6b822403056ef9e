// engine/node/lost.cpp: a slow search. Only programs whose receives overlap need it, for their
// first messages.
#include "engine/node/lost.hpp"

#include <algorithm>
#include <ctime>
#include <new>

namespace heddle::engine {
namespace {

/// Another thread may have received a descriptor that this thread cannot see. That thread fetches
/// its message soon. So this thread looks several times, and naps so many ns in between.
constexpr int looks = 50;
constexpr long pause_ns = 20'000;

}  // namespace

/// True: the length of the arrived message says that it was a descriptor.
bool Lost::announced_by(int peer) const noexcept {
  if (receipt_.own) return receipt_.bytes == Bytes{sizeof(Descriptor)} && receipt_.expected > receipt_.bytes;
  const Lengths::Kind kind = node_.lengths(peer).received(receipt_.bytes, receipt_.tag);
  return kind == Lengths::Kind::rendezvous || (kind == Lengths::Kind::unclear && node_.lengths(node_.me()).overlaps());
}

std::optional<Descriptor> Lost::read(const Candidate& candidate) const noexcept {
  alignas(Descriptor) std::byte copy[sizeof(Descriptor)];
  std::memcpy(copy, candidate.entry->descriptor, sizeof copy);
  std::atomic_thread_fence(std::memory_order_acquire);
  Descriptor descriptor;
  if (candidate.entry->generation.load(std::memory_order_relaxed) != candidate.generation ||
      !engine::read(copy, node_.nonce(), static_cast<std::uint32_t>(node_.size()), node_.memory_size(), descriptor) ||
      descriptor.generation != candidate.generation || static_cast<int>(descriptor.sender) != receipt_.peer ||
      Bytes{descriptor.length} != receipt_.bytes || (receipt_.own && descriptor.total != receipt_.expected))
    return {};
  const Control* const control = node_.control_of({descriptor.sender, descriptor.control, descriptor.generation});
  if (!control || !unclaimed(*control, descriptor.generation) ||
      node_.claims().under_way(descriptor.sender, descriptor.generation))
    return {};
  return descriptor;
}

void Lost::look() {
  candidates_.clear();
  const int peer = receipt_.peer;
  if (!node_.maps(peer) || !announced_by(peer)) return;
  const auto open = [&](Bytes end) { return node_.open(peer, end); };
  node_.announcements(peer).for_each(node_.memory_size(), open, [&](const Announcements::Entry& entry) {
    const std::uint64_t generation = entry.generation.load(std::memory_order_acquire);
    if (generation == 0 || entry.receiver != node_.me() || entry.tag != receipt_.tag) return;
    if (const Candidate found{generation, &entry}; read(found)) candidates_.push_back(found);
  });
  std::ranges::sort(candidates_, {}, &Candidate::generation);
}

std::size_t Lost::count(const Standing& standing) const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(candidates_, [&](const Candidate& each) {
    return !std::ranges::binary_search(standing, std::pair{static_cast<std::uint32_t>(receipt_.peer), each.generation});
  }));
}

std::optional<Descriptor> Lost::oldest(const Standing& standing) const noexcept {
  for (const Candidate& each : candidates_) {
    if (std::ranges::binary_search(standing, std::pair{static_cast<std::uint32_t>(receipt_.peer), each.generation})) continue;
    if (const std::optional<Descriptor> found = read(each)) return found;
  }
  return {};
}

std::optional<Descriptor> Lost::find() noexcept try {
  Standing standing;
  const auto look_around = [&] {
    look();
    if (candidates_.empty()) return;
    standing.clear();
    receipt_.standing(node_, standing);
    std::ranges::sort(standing);
  };
  look_around();
  if (threads::concurrent.load(std::memory_order_relaxed))
    for (int i = 0; i < looks && count(standing) > 1; ++i) {
      const timespec nap{0, pause_ns};
      nanosleep(&nap, nullptr);
      look_around();
    }
  if (const std::optional<Descriptor> found = oldest(standing)) return found;
  return oldest({});
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace heddle::engine
