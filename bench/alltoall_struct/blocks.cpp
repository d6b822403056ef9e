// bench/alltoall_struct/blocks.cpp: see blocks.hpp.
#include "alltoall_struct/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::bench::blocks {
namespace {

constexpr int wiped = 0xa5;
constexpr long int_bytes = sizeof(std::int32_t);

/// The value from rank `from` to rank `to` at int `i` in exchange `number`.
std::int32_t word(long number, int from, int to, long i) {
  return static_cast<std::int32_t>(number * 7919 + from * 65537L + to * 257L + i * 3L);
}

std::string difference(const Memory& found, const Memory& wanted) {
  const auto *first = found.as<std::int32_t>(), *last = first + found.size() / sizeof(std::int32_t);
  const auto [at, other] = std::mismatch(first, last, wanted.as<std::int32_t>());
  return at == last ? std::string{} : fmt::format("int {} is {:#x}, not {:#x}", at - first, *at, *other);
}

}  // namespace

Shape::Shape(long largest) {
  for (long block = 1; block <= largest; block *= 2) {
    at.push_back(extent);
    length.push_back(block);
    ints += block;
    extent += block + 1;
  }
}

Type Shape::type() const {
  const Type integer{MPI_INT};
  std::vector<Field> fields;
  for (std::size_t i = 0; i < at.size(); ++i) fields.push_back({static_cast<int>(length[i]), at[i] * int_bytes, integer});
  Type whole = resized(structure(fields), 0, extent * int_bytes);
  MPI_Type_commit(whole.address());
  return whole;
}

Structs::Structs(const Shape& shape, int ranks, Origin origin)
    : shape_{shape}, ranks_{ranks}, memory_{static_cast<std::size_t>(ranks * shape.extent * int_bytes), origin} {}

void Structs::fill(int place, long number, int from, int to) const {
  long i = 0;
  for (std::size_t block = 0; block < shape_.at.size(); ++block) {
    std::int32_t* const first = data() + place * shape_.extent + shape_.at[block];
    for (long j = 0; j < shape_.length[block]; ++j) first[j] = word(number, from, to, i + j);
    i += shape_.length[block];
  }
}

void Structs::write(long number, int from) const {
  for (int to = 0; to < ranks_; ++to) fill(to, number, from, to);
}

void Structs::wipe() const { std::memset(memory_.data(), wiped, memory_.size()); }

void Structs::pack(std::int32_t* to) const {
  for (int rank = 0; rank < ranks_; ++rank)
    for (std::size_t block = 0; block < shape_.at.size(); ++block)
      to = std::copy_n(data() + rank * shape_.extent + shape_.at[block], shape_.length[block], to);
}

void Structs::unpack(const std::int32_t* from) const {
  for (int rank = 0; rank < ranks_; ++rank)
    for (std::size_t block = 0; block < shape_.at.size(); ++block) {
      std::copy_n(from, shape_.length[block], data() + rank * shape_.extent + shape_.at[block]);
      from += shape_.length[block];
    }
}

std::string Structs::compare(long number, int to) const {
  const Structs twin{shape_, ranks_, Origin::malloc};
  twin.wipe();
  for (int from = 0; from < ranks_; ++from) twin.fill(from, number, from, to);
  return difference(memory_, twin.memory_);
}

Flat::Flat(const Shape& shape, int ranks, Origin origin)
    : ints_{shape.ints}, ranks_{ranks}, memory_{static_cast<std::size_t>(ranks * shape.ints * int_bytes), origin} {}

void Flat::write(long number, int from) const {
  for (int to = 0; to < ranks_; ++to)
    for (long i = 0; i < ints_; ++i) data()[to * ints_ + i] = word(number, from, to, i);
}

void Flat::wipe() const { std::memset(memory_.data(), wiped, memory_.size()); }

std::string Flat::compare(long number, int to) const {
  const auto wrong = [&](int from, long i) { return data()[from * ints_ + i] != word(number, from, to, i); };
  for (int from = 0; from < ranks_; ++from)
    for (long i = 0; i < ints_; ++i)
      if (wrong(from, i)) return fmt::format("int {} from rank {} is not what it sent", i, from);
  return {};
}

}  // namespace heddle::bench::blocks
