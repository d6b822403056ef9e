#include "support/reference.hpp"

#include <algorithm>
#include <cfloat>
#include <cstring>

namespace heddle::test {

Places places(const layout::grammar::Type& type, Count count) {
  Places all;
  const auto total = static_cast<std::size_t>(layout::times(type.elements, count));
  all.entries = layout::type_map(type, count, total).entries;
  if (all.entries.empty()) return all;
  all.low = INT64_MAX;
  all.high = INT64_MIN;
  for (const layout::Entry& e : all.entries) {
    all.low = std::min(all.low, e.offset);
    all.high = std::max(all.high, e.offset + e.length);
    all.packed += e.length;
  }
  // One bit for each byte is cheaper than sorting, because the reach of a random tree is bounded.
  std::vector<bool> taken(static_cast<std::size_t>(all.high - all.low));
  for (const layout::Entry& e : all.entries) {
    for (Bytes at = e.offset - all.low; at < e.offset - all.low + e.length; ++at) {
      if (taken[static_cast<std::size_t>(at)]) all.overlap = true;
      taken[static_cast<std::size_t>(at)] = true;
    }
    if (all.overlap) break;
  }
  return all;
}

Memory gather(const Places& places, const std::byte* base) {
  Memory packed(static_cast<std::size_t>(places.packed));
  std::byte* to = packed.data();
  for (const layout::Entry& e : places.entries) to = std::copy_n(base + e.offset, e.length, to);
  return packed;
}

void scatter(const Places& places, std::byte* base, const std::byte* packed) {
  for (const layout::Entry& e : places.entries) {
    std::memcpy(base + e.offset, packed, static_cast<std::size_t>(e.length));
    packed += e.length;
  }
}

namespace {
/// The x87 format has 10 bytes. When it is stored in 16 bytes, the other 6 mean nothing.
constexpr Bytes meaningful = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);

template <class Each>
void each_padding(const Places& places, Each each) {
  Bytes packed = 0;
  for (const layout::Entry& e : places.entries) {
    if (e.name.starts_with("long_double")) {
      for (Bytes part = 0; part < e.length; part += sizeof(long double))
        each(packed + part + meaningful, e.offset + part + meaningful,
             static_cast<std::size_t>(sizeof(long double) - meaningful));
    }
    packed += e.length;
  }
}
}  // namespace

void clear_padding(const Places& places, Memory& packed) {
  if (static_cast<Bytes>(packed.size()) != places.packed) return;
  each_padding(places, [&](Bytes at, Bytes, std::size_t length) { std::memset(packed.data() + at, 0, length); });
}
void clear_padding(const Places& places, std::byte* base) {
  each_padding(places, [&](Bytes, Bytes at, std::size_t length) { std::memset(base + at, 0, length); });
}

Field::Field(const Places& places, unsigned seed) {
  const Bytes low = std::min<Bytes>(0, places.low), high = std::max<Bytes>(0, places.high);
  origin_ = guard - low;
  memory_.resize(static_cast<std::size_t>(high - low + 2 * guard));
  std::uint64_t state = seed * 2654435761U + 1;
  for (std::size_t at = 0; at < memory_.size(); at += sizeof state) {  // eight bytes a step: fields are a quarter of a run
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t word = state ^ state >> 32;
    std::memcpy(memory_.data() + at, &word, std::min(sizeof word, memory_.size() - at));
  }
}

}  // namespace heddle::test
