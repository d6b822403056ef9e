// bench/vector/columns.cpp: see columns.hpp.
#include "vector/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::bench::columns {
namespace {

constexpr int wiped = 0xa5;

/// The difference to other memory, into which the messages are written.
template <class Data>
std::string compare_with(const Data& twin, const Memory& found, const Memory& wanted, long messages) {
  twin.wipe();
  for (long number = 0; number < messages; ++number) twin.write(number);
  const auto *first = found.as<std::int32_t>(), *last = first + found.size() / sizeof(std::int32_t);
  const auto [at, other] = std::mismatch(first, last, wanted.as<std::int32_t>());
  return at == last ? std::string{} : fmt::format("int {} is {:#x}, not {:#x}", at - first, *at, *other);
}

}  // namespace

Columns::Columns(const Layout& layout, Origin origin)
    : layout_{layout},
      in_a_matrix_{layout.own_matrix ? 1 : row_ints / layout.columns},
      matrices_{(layout.places + in_a_matrix_ - 1) / in_a_matrix_},
      memory_{static_cast<std::size_t>(matrices_) * matrix_bytes, origin} {}

std::int32_t* Columns::at(long place) const {
  place %= layout_.places;
  return memory_.as<std::int32_t>() + place / in_a_matrix_ * rows * row_ints + place % in_a_matrix_ * layout_.columns;
}

void Columns::write(long number) const {
  std::int32_t* const to = at(number);
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < layout_.columns; ++i) to[row * row_ints + i] = word(number, row * layout_.columns + i);
}

void Columns::pack(long number, std::int32_t* to) const {
  const std::int32_t* const from = at(number);
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < layout_.columns; ++i) *to++ = from[row * row_ints + i];
}

void Columns::unpack(long number, const std::int32_t* from) const {
  std::int32_t* const to = at(number);
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < layout_.columns; ++i) to[row * row_ints + i] = *from++;
}

void Columns::wipe() const { std::memset(memory_.data(), wiped, memory_.size()); }

std::string Columns::compare(long messages) const {
  const Columns twin{layout_, Origin::malloc};
  return compare_with(twin, memory_, twin.memory_, messages);
}

Flat::Flat(const Layout& layout, Origin origin)
    : layout_{layout},
      ints_{rows * layout.columns},
      distance_{layout.own_matrix ? rows * row_ints : ints_},
      memory_{static_cast<std::size_t>(layout.places * distance_) * sizeof(std::int32_t), origin} {}

std::int32_t* Flat::at(long place) const { return memory_.as<std::int32_t>() + place % layout_.places * distance_; }

void Flat::write(long number) const {
  std::int32_t* const to = at(number);
  for (long i = 0; i < ints_; ++i) to[i] = word(number, i);
}

void Flat::wipe() const { std::memset(memory_.data(), wiped, memory_.size()); }

std::string Flat::compare(long messages) const {
  const Flat twin{layout_, Origin::malloc};
  return compare_with(twin, memory_, twin.memory_, messages);
}

}  // namespace heddle::bench::columns
