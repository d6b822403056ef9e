// select/collective/volume_shares.cpp: joins shares, and reads them.
#include "select/collective/volume_shares.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::select {

void Share::send(Rank me, Rank to, Bytes sent, Rank ranks, const schedule::Nodes* nodes) noexcept {
  if (sent <= 0) return;
  ++partners;
  bytes += sent;
  leaving += nodes != nullptr && nodes->of(me) != nodes->of(to) ? sent : 0;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    const schedule::Hops made = schedule::crystal_hops({.ranks = ranks, .radix = radices[i], .nodes = nodes}, me, to);
    hops[i] += made.all * sent;
    far[i] += made.far * sent;
    travels[i] += made.all * sent;
  }
  ++most_partners;
  most_sent += sent;
  largest = std::max(largest, sent);
  const Rank away = distance(me, to, ranks);
  const bool ahead = schedule::around(std::int64_t{to} - me, ranks) == away;
  reach = std::max<std::int64_t>(reach, away);
  // The distance in strides of this rank. A distance back is a two's complement: its digits are the
  // zeros of -x - 1.
  const std::int64_t strides = away / std::max<std::int64_t>(1, stride);
  const auto digits = [](std::int64_t number) { return std::popcount(static_cast<std::uint64_t>(number)); };
  ones += sent * (ahead ? digits(strides) : -digits(strides - 1));
  behind += ahead ? 0 : sent;
}

Share joined(const Share& one, const Share& other) noexcept {
  Share both = one;
  both.partners += other.partners;
  both.bytes += other.bytes;
  both.leaving += other.leaving;
  both.ones += other.ones;
  both.behind += other.behind;
  both.most_partners = std::max(one.most_partners, other.most_partners);
  both.most_sent = std::max(one.most_sent, other.most_sent);
  both.most_received = std::max(one.most_received, other.most_received);
  both.largest = std::max(one.largest, other.largest);
  both.reach = std::max(one.reach, other.reach);
  both.stride = std::gcd(one.stride, other.stride);
  for (std::size_t i = 0; i < radices.size(); ++i) {
    both.hops[i] += other.hops[i];
    both.far[i] += other.far[i];
    both.travels[i] = std::max(one.travels[i], other.travels[i]);
  }
  return both;
}

AlltoallvFacts agreed(const Share& all, const Where& where) noexcept {
  AlltoallvFacts facts{where};
  facts.partners = static_cast<double>(all.partners) / where.ranks;
  facts.most_partners = static_cast<Rank>(all.most_partners);
  facts.bytes = static_cast<double>(all.bytes) / where.ranks;
  facts.most_bytes = std::max(all.most_sent, all.most_received);
  facts.largest_block = all.largest;
  facts.reach = static_cast<Rank>(all.reach);
  facts.stride = static_cast<Rank>(std::max<std::int64_t>(1, all.stride));
  if (all.bytes == 0) return facts;
  const auto of_each = [&](std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(all.bytes); };
  facts.leaving = of_each(all.leaving);
  facts.ones = of_each(all.ones);
  facts.behind = of_each(all.behind);
  for (std::size_t i = 0; i < radices.size(); ++i)
    facts.travel[i] = {.hops = of_each(all.hops[i]), .far = of_each(all.far[i]), .most = all.travels[i]};
  return facts;
}

std::int64_t calls_for(const Candidate& choice, const Where& where) noexcept {
  constexpr double part = 0.01;
  constexpr double most = 1e6;
  if (choice.node.messages + choice.network.messages == 0) return 1;  // nothing to bundle, so the time of the calls is unknown
  Candidate reduction;
  const double rounds = schedule::logarithm(where.ranks);
  const double far = schedule::logarithm(where.nodes);
  reduction.node = {.rounds = rounds - far, .messages = rounds - far, .bytes = 0};
  reduction.network = {.rounds = far, .messages = far, .bytes = 0};
  return static_cast<std::int64_t>(std::min(most, std::ceil(timed(reduction, where).ns / (part * std::max(1.0, choice.ns)))));
}

std::uint64_t digest(const Candidate& choice) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&hash](std::uint64_t byte) { hash = (hash ^ (byte & 0xff)) * 0x100000001b3; };
  for (const char letter : choice.algorithm->name) add(static_cast<std::uint64_t>(letter));
  for (int shift = 0; shift < 64; shift += 8) add(static_cast<std::uint64_t>(choice.segment) >> shift);
  add(static_cast<std::uint64_t>(choice.radix));
  for (int shift = 0; shift < 32; shift += 8) add(static_cast<std::uint64_t>(choice.reach) >> shift);
  for (int shift = 0; shift < 32; shift += 8) add(static_cast<std::uint64_t>(choice.stride) >> shift);
  return hash;
}

}  // namespace heddle::select
