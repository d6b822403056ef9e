#include "support/exchange.hpp"

#include <algorithm>
#include <numeric>

#include "support/pmpi_spy.hpp"

namespace heddle::test {
namespace {

const std::vector<std::string> basics = {"int", "double", "char", "float", "short", "int64_t", "double_complex"};
const std::vector<std::pair<Unit, std::string>> pairs = {
    {{"double", "int"}, "double_int"},
    {{"float", "int"}, "float_int"},
    {{"short", "int"}, "short_int"},
#if !defined(OPEN_MPI)
    // Open MPI 5.0.11 hangs in Allgatherv when a rank sends MPI_INT and receives MPI_2INT: it
    // chooses its algorithm by the size of one type times the counts of the other.
    {{"int", "int"}, "2int"},
#endif
};

/// Open MPI 5.0.11 alone garbles complex numbers in unusual places. In messages of more than 4 KiB,
/// it also garbles numbers off multiples of their size (known_host_errors.hpp).
bool must_be_usual() {
#if defined(OPEN_MPI)
  return types_reach_host();
#else
  return false;
#endif
}

const std::string& random_basic(Chooser& choose) {
  const Count last = must_be_usual() ? 5 : 6;
  return basics[static_cast<std::size_t>(choose.upto(last))];
}

std::string text(Count n) { return std::to_string(n); }
template <class List, class Text>
std::string list(const List& items, Text text_of) {
  std::string all = "[";
  for (const auto& item : items) all += (all.size() > 1 ? ", " : "") + text_of(item);
  return all + "]";
}

bool one_kind(const Unit& unit) {
  return std::ranges::all_of(unit, [&](const auto& name) { return name == unit[0]; });
}

/// One unit, with its elements in any order and with gaps. The bounds are wide enough to repeat it.
std::string strewn(Chooser& choose, const Unit& unit) {
  std::vector<std::size_t> order(unit.size());
  std::iota(order.begin(), order.end(), 0);
  if (choose.upto(1))
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(choose.upto(static_cast<Count>(i) - 1))]);
  const Bytes lower = choose.rarely(4) ? -16 : 0;
  const bool aligned = !choose.rarely(3) || must_be_usual();
  std::vector<Bytes> places(unit.size());
  Bytes at = lower + (choose.rarely(3) ? 16 : 0);
  for (const std::size_t i : order) {
    const Bytes size = layout::layout_of(*layout::find_basic(unit[i])).extent();
    if (aligned) at += (16 - (at - lower) % 16) % std::min<Bytes>(size, 16);
    places[i] = at;
    at += size + (choose.rarely(2) ? (aligned ? size : choose.upto(5)) : 0);
  }
  const Bytes extent = (at - lower + 15) / 16 * 16 + (choose.rarely(3) ? 16 : 0);
  const std::vector<Count> ones(unit.size(), 1);
  const std::string where = list(places, text), lengths = list(ones, text);
  const std::string made = one_kind(unit) && choose.upto(1)
                               ? "hindexed(" + lengths + ", " + where + ", " + unit[0] + ")"
                               : "struct(" + lengths + ", " + where + ", " + list(unit, [](const auto& n) { return n; }) + ")";
  return "resized(" + made + ", " + text(lower) + ", " + text(extent) + ")";
}

/// n elements of one predefined type in rows.
std::string rows(Chooser& choose, const std::string& name, Count n) {
  Count row = choose.between(1, 9);
  while (n % row != 0) --row;
  const Count many = n / row, wide = row + choose.upto(4);
  switch (choose.upto(2)) {
    case 0:
      return "vector(" + text(many) + ", " + text(row) + ", " + text(wide) + ", " + name + ")";
    case 1:
      return "subarray([" + text(many) + ", " + text(wide) + "], [" + text(many) + ", " + text(row) + "], [0, " +
             text(choose.upto(wide - row)) + "], " + name + ")";
    default:
      return "contiguous(" + text(many) + ", contiguous(" + text(row) + ", " + name + "))";
  }
}

Side side(const std::string& text_of, Count count) {
  Side made;
  made.shape = layout::grammar::parse(text_of);
  made.count = count;
  if (made.shape->combiner == layout::grammar::Combiner::named) {
    made.type = predefined(made.shape->basic->name);
  } else {
    made.committed = std::make_shared<Committed>(*made.shape);
    made.type = *made.committed;
  }
  return made;
}

}  // namespace

Unit random_unit(Chooser& choose) {
  switch (choose.upto(3)) {
    case 0:
      return Unit(static_cast<std::size_t>(choose.between(1, 12)), random_basic(choose));
    case 1: {
      const Unit& pair = pairs[static_cast<std::size_t>(choose.upto(static_cast<Count>(pairs.size()) - 1))].first;
      Unit unit;
      for (Count n = choose.between(1, 4); n > 0; --n) unit.insert(unit.end(), pair.begin(), pair.end());
      return unit;
    }
    default: {
      Unit unit;
      for (Count n = choose.between(1, 10); n > 0; --n) unit.push_back(random_basic(choose));
      return unit;
    }
  }
}

Side random_element(Chooser& choose, const Unit& unit) {
  if (one_kind(unit) && choose.rarely(3)) return side(unit[0], static_cast<Count>(unit.size()));
  for (const auto& [pair, name] : pairs) {
    if (unit.size() % 2 != 0 || !choose.rarely(3)) continue;
    bool same = true;
    for (std::size_t i = 0; i < unit.size(); ++i) same = same && unit[i] == pair[i % 2];
    if (same) return side(name, static_cast<Count>(unit.size() / 2));
  }
  const std::string one = strewn(choose, unit);
  return choose.rarely(4) ? side("dup(" + one + ")", 1) : side(one, 1);
}

Side random_side(Chooser& choose, const Unit& unit, Count units) {
  const Count elements = units * static_cast<Count>(unit.size());
  if (one_kind(unit) && elements > 0 && choose.upto(1)) {
    if (choose.rarely(4)) return side("resized(" + unit[0] + ", 0, 24)", elements);
    return side(rows(choose, unit[0], elements), 1);
  }
  // No units as one element of an empty type: MPICH 5.0.2 skips only count 0, and ranks then wait
  // for each other.
  if (units == 0 && expected() != Expected::on) return side(strewn(choose, unit), 0);
  switch (choose.upto(3)) {
    case 0:
      return side("contiguous(" + text(units) + ", " + strewn(choose, unit) + ")", 1);
    case 1: {
      const std::string one = strewn(choose, unit);
      const Bytes stride = layout::grammar::parse(one)->layout.extent() + 16;
      return side(
          "resized(hvector(" + text(units) + ", 1, " + text(stride) + ", " + one + "), -16, " + text(stride * units + 16) + ")",
          1);
    }
    default: {
      Side one = random_element(choose, unit);
      one.count *= units;
      return one;
    }
  }
}

Memory message(std::uint32_t seed, int from, int to, Bytes size) {
  Memory bytes(static_cast<std::size_t>(size));
  std::uint64_t state =
      seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(from) * 1000003U + static_cast<std::uint64_t>(to);
  for (std::byte& b : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    b = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

namespace {
std::vector<Places> placed(const std::vector<Area::Block>& blocks) {
  std::vector<Places> all;
  for (const Area::Block& block : blocks) {
    Places p = places(*block.shape, block.count);
    for (layout::Entry& e : p.entries) e.offset += block.at;
    p.low += block.at;
    p.high += block.at;
    all.push_back(std::move(p));
  }
  return all;
}
}  // namespace

Places Area::all(const std::vector<Places>& places) {
  Places bounds;
  for (const Places& p : places) {
    if (p.entries.empty()) continue;
    bounds.low = std::min(bounds.low, p.low);
    bounds.high = std::max(bounds.high, p.high);
  }
  return bounds;
}

Area::Area(std::vector<Block> blocks, unsigned fill)
    : places_(placed(blocks)), field_(all(places_), fill), expected_(all(places_), fill) {}

void Area::put(std::size_t block, const Memory& content) {
  scatter(places_[block], field_.base(), content.data());
  scatter(places_[block], expected_.base(), content.data());
}

std::string Area::difference() {
  const auto [got, wanted] = std::ranges::mismatch(field_.memory(), expected_.memory());
  if (got == field_.memory().end()) return "all as expected";
  const Bytes at = &*got - base();
  std::string what = "untouchable";
  for (const Places& p : places_)
    for (const layout::Entry& e : p.entries)
      if (at >= e.offset && at < e.offset + e.length) what = std::string(e.name);
  Count wrong = 0;
  for (std::size_t i = 0; i < field_.memory().size(); ++i) wrong += field_.memory()[i] != expected_.memory()[i];
  return "byte " + std::to_string(at) + " (" + what + ") and " + std::to_string(wrong - 1) + " more";
}

void Area::expect(std::size_t block, const Memory& content) {
  Memory whole = gather(places_[block], expected_.base());
  std::copy(content.begin(), content.end(), whole.begin());
  scatter(places_[block], expected_.base(), whole.data());
}

}  // namespace heddle::test
