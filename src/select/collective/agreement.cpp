// select/collective/agreement.cpp: shares put together, and read.
#include "select/collective/agreement.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::select {

Share joined(const Share& one, const Share& other) noexcept {
  Share both;
  for (std::size_t i = 0; i < both.numbers.size(); ++i)
    both.numbers[i] = i < Share::sums ? one.numbers[i] + other.numbers[i] : std::max(one.numbers[i], other.numbers[i]);
  return both;
}

AlltoallvFacts agreed(const Share& all, const Where& where) noexcept {
  const auto& [partners, bytes, leaving, hops, most_partners, most_sent, most_received, largest] = all.numbers;
  AlltoallvFacts facts{where};
  facts.partners = static_cast<double>(partners) / where.ranks;
  facts.most_partners = static_cast<Rank>(most_partners);
  facts.bytes = static_cast<double>(bytes) / where.ranks;
  facts.most_bytes = std::max(most_sent, most_received);
  facts.largest_block = largest;
  if (bytes > 0) {
    facts.leaving = static_cast<double>(leaving) / static_cast<double>(bytes);
    facts.hops = static_cast<double>(hops) / static_cast<double>(bytes);
  }
  return facts;
}

std::int64_t calls_for(const Way& way, const Where& where) noexcept {
  constexpr double part = 0.01;
  constexpr double most = 1e6;
  if (way.node.messages + way.network.messages == 0) return 1;  // nothing could be bundled: no telling how long they take
  Way reduction;
  const double rounds = schedule::logarithm(where.ranks);
  const double far = schedule::logarithm(where.nodes);
  reduction.node = {.rounds = rounds - far, .messages = rounds - far, .bytes = 0};
  reduction.network = {.rounds = far, .messages = far, .bytes = 0};
  return static_cast<std::int64_t>(std::min(most, std::ceil(timed(reduction, where).ns / (part * std::max(1.0, way.ns)))));
}

std::uint64_t digest(const Way& way) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&hash](std::uint64_t byte) { hash = (hash ^ (byte & 0xff)) * 0x100000001b3; };
  for (const char letter : way.algorithm->name) add(static_cast<std::uint64_t>(letter));
  for (int shift = 0; shift < 64; shift += 8) add(static_cast<std::uint64_t>(way.segment) >> shift);
  add(static_cast<std::uint64_t>(way.radix));
  return hash;
}

}  // namespace heddle::select
