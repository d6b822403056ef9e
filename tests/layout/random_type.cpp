#include "random_type.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace heddle::layout::test {
namespace {

using Map = std::vector<Segment>;

class Chooser {
 public:
  explicit Chooser(const Choices& choices) : numbers_(choices.numbers) {}
  Count upto(Count highest) {
    const std::uint32_t n = next_ < numbers_.size() ? numbers_[next_++] : 0;
    return n % (highest + 1);
  }
  /// 0 ... highest, where 0 is rare: one empty level empties all levels above it.
  Count some(Count highest) {
    const Count n = upto(10 * highest);
    return n == 1 ? 0 : 1 + n % highest;
  }
  Count between(Count lowest, Count highest) { return lowest + upto(highest - lowest); }

 private:
  const std::vector<std::uint32_t>& numbers_;
  std::size_t next_ = 0;
};

void append(Map& map, const Map& element, Bytes at) {
  for (const Segment& s : element) map.push_back({s.offset + at, s.length});
}

Map repeated(const Map& element, Count count, Bytes stride) {
  Map map;
  for (Count i = 0; i < count; ++i) append(map, element, i * stride);
  return map;
}

std::string list(const std::vector<Count>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

std::string call(const std::string& name, std::initializer_list<std::string> arguments) {
  std::string text = name + "(";
  for (const auto& argument : arguments) text += (text.back() == '(' ? "" : ",") + argument;
  return text + ")";
}

constexpr std::size_t most_pieces = 3000;

Sample leaf(Chooser& choose) {
  struct Basic {
    const char* name;
    Bytes size;
  };
  static constexpr Basic basics[] = {{"char", 1}, {"short", 2}, {"int", 4}, {"double", 8}, {"double_complex", 16}};
  const Basic& b = basics[choose.upto(4)];
  const Bytes alignment = b.size == 16 ? 8 : b.size;
  return {basic(b.size, alignment), {{0, b.size}}, b.name};
}

Sample grow(Chooser& choose, int depth) {
  if (depth == 0) return leaf(choose);
  const Count form = choose.upto(9);
  if (form == 0) return leaf(choose);
  const Sample old = grow(choose, depth - 1);
  if (old.map.size() > most_pieces / 8) return old;
  const Bytes extent = old.layout.extent();
  const auto text = [](Count n) { return std::to_string(n); };
  switch (form) {
    case 1: {
      const Count n = choose.some(5);
      return {contiguous(n, old.layout), repeated(old.map, n, extent), call("contiguous", {text(n), old.text})};
    }
    case 2: {
      const Count n = choose.some(5), length = choose.some(3), stride = choose.between(-3, 5);
      return {vector(n, length, stride, old.layout), repeated(repeated(old.map, length, extent), n, stride * extent),
              call("vector", {text(n), text(length), text(stride), old.text})};
    }
    case 3: {
      const Count n = choose.some(5), length = choose.some(3), stride = choose.between(-40, 70);
      return {hvector(n, length, stride, old.layout), repeated(repeated(old.map, length, extent), n, stride),
              call("hvector", {text(n), text(length), text(stride), old.text})};
    }
    case 4:
    case 5: {
      const bool in_bytes = form == 5;
      const Count n = choose.some(6);
      std::vector<Count> lengths, displacements;
      Map map;
      for (Count i = 0; i < n; ++i) {
        lengths.push_back(choose.some(3));
        displacements.push_back(in_bytes ? choose.between(-30, 90) : choose.between(-4, 9));
        append(map, repeated(old.map, lengths.back(), extent), displacements.back() * (in_bytes ? 1 : extent));
      }
      return {in_bytes ? hindexed(lengths, displacements, old.layout) : indexed(lengths, displacements, old.layout), map,
              call(in_bytes ? "hindexed" : "indexed", {list(lengths), list(displacements), old.text})};
    }
    case 6: {
      const Count n = choose.some(6), length = choose.some(3);
      std::vector<Count> displacements;
      Map map;
      for (Count i = 0; i < n; ++i) {
        displacements.push_back(choose.between(-4, 9));
        append(map, repeated(old.map, length, extent), displacements.back() * extent);
      }
      return {indexed_block(length, displacements, old.layout), map,
              call("indexed_block", {text(length), list(displacements), old.text})};
    }
    case 7: {
      const Sample other = grow(choose, depth - 1);
      if (other.map.size() > most_pieces / 8) return old;
      const Count n = choose.between(1, 4);
      std::vector<Count> lengths, displacements;
      std::vector<Layout> olds;
      std::string types = "[";
      Map map;
      for (Count i = 0; i < n; ++i) {
        const Sample& member = choose.upto(1) ? other : old;
        lengths.push_back(choose.some(2));
        displacements.push_back(choose.between(-20, 100));
        olds.push_back(member.layout);
        types += (i ? "," : "") + member.text;
        append(map, repeated(member.map, lengths.back(), member.layout.extent()), displacements.back());
      }
      return {structure(lengths, displacements, olds), map, call("struct", {list(lengths), list(displacements), types + "]"})};
    }
    case 8: {
      const Count dimensions = choose.between(1, 3);
      const Order order = choose.upto(1) ? Order::fortran : Order::c;
      std::vector<Count> sizes, subsizes, starts;
      for (Count d = 0; d < dimensions; ++d) {
        sizes.push_back(choose.between(1, 5));
        subsizes.push_back(choose.between(1, sizes.back()));
        starts.push_back(choose.upto(sizes.back() - subsizes.back()));
      }
      Map map = old.map;
      Bytes stride = extent;
      for (Count i = 0; i < dimensions; ++i) {
        const auto d = static_cast<std::size_t>(order == Order::fortran ? i : dimensions - 1 - i);
        Map grown;
        append(grown, repeated(map, subsizes[d], stride), starts[d] * stride);
        map = grown;
        stride *= sizes[d];
      }
      return {
          subarray(sizes, subsizes, starts, order, old.layout), map,
          call("subarray", {list(sizes), list(subsizes), list(starts), old.text, order == Order::c ? "order=C" : "order=F"})};
    }
    default: {
      const Bytes lower = choose.between(-10, 10), wide = choose.between(0, 80);
      return {resized(old.layout, lower, wide), old.map, call("resized", {old.text, text(lower), text(wide)})};
    }
  }
}

}  // namespace

Sample random_type(const Choices& choices, int depth) {
  Chooser choose(choices);
  return grow(choose, depth);
}

std::vector<std::byte> gathered(const Sample& type, Count count, const std::byte* base) {
  std::vector<std::byte> packed;
  for (const Segment& s : repeated(type.map, count, type.layout.extent())) {
    packed.insert(packed.end(), base + s.offset, base + s.offset + s.length);
  }
  return packed;
}

Memory::Memory(const Sample& type, Count count, unsigned fill_seed) {
  Bytes low = 0, high = 0;
  for (const Segment& s : repeated(type.map, count, type.layout.extent())) {
    low = std::min(low, s.offset);
    high = std::max(high, s.offset + s.length);
  }
  origin_ = -low;
  bytes_.resize(static_cast<std::size_t>(high - low));
  std::mt19937 random(fill_seed);
  for (std::byte& b : bytes_) b = static_cast<std::byte>(random());
}

}  // namespace heddle::layout::test

namespace rc {
Gen<heddle::layout::test::Choices> Arbitrary<heddle::layout::test::Choices>::arbitrary() {
  const auto numbers = gen::scale(2.0, gen::container<std::vector<std::uint32_t>>(gen::inRange<std::uint32_t>(0, 1 << 16)));
  return gen::map(numbers, [](std::vector<std::uint32_t> list) { return heddle::layout::test::Choices{std::move(list)}; });
}

namespace {
// More trees than RapidCheck's hundred, unless the caller says otherwise.
const int many_trees = setenv("RC_PARAMS", "max_success=4000 max_size=80 max_discard_ratio=50", 0);
}  // namespace
}  // namespace rc
