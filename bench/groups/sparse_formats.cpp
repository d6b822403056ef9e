// bench/groups/sparse_formats.cpp: the three sparse formats of Chaarawi and Gabriel.
#include "groups/sparse_formats.hpp"

#include <utility>

namespace heddle::bench::sparse_formats {
namespace {

class Ranges : public Group {
 public:
  explicit Ranges(int size) {
    for (int rank = 0; rank < size; rank += 2) ranges_.emplace_back(rank, 1);
  }
  [[nodiscard]] int in_parent(int rank) const override {
    std::size_t i = 0;
    for (; rank >= ranges_[i].second; ++i) rank -= ranges_[i].second;
    return ranges_[i].first + rank;
  }

 private:
  std::vector<std::pair<int, int>> ranges_;  // first rank, number of ranks
};

class Strided : public Group {
 public:
  [[nodiscard]] int in_parent(int rank) const override { return offset_ + rank * stride_; }

 private:
  int offset_ = 0, stride_ = 2;
};

class Bitmap : public Group {
 public:
  explicit Bitmap(int size) : bits_(static_cast<std::size_t>(size + 7) / 8) {
    for (int rank = 0; rank < size; rank += 2)
      bits_[static_cast<std::size_t>(rank / 8)] |= static_cast<std::uint8_t>(1 << rank % 8);
  }
  [[nodiscard]] int in_parent(int rank) const override {
    for (int bit = 0, seen = -1;; ++bit) {
      seen += bits_[static_cast<std::size_t>(bit / 8)] >> (bit % 8) & 1;
      if (seen == rank) return bit;
    }
  }

 private:
  std::vector<std::uint8_t> bits_;
};

}  // namespace

std::shared_ptr<const Group> even(Kind kind, int size, std::shared_ptr<const Group> parent) {
  std::shared_ptr<Group> made;
  if (kind == Kind::range) made = std::make_shared<Ranges>(size);
  if (kind == Kind::strided) made = std::make_shared<Strided>();
  if (kind == Kind::bitmap) made = std::make_shared<Bitmap>(size);
  made->parent = std::move(parent);
  return made;
}

}  // namespace heddle::bench::sparse_formats
