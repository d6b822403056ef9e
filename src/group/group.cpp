// group/group.cpp: makes groups, and finds their members and sizes, where speed does not matter.
#include "group/group.hpp"

#include <stdexcept>
#include <string>

#include "group/formats.hpp"

namespace heddle::group {

Group Group::world(Rank size) {
  if (size < 0 || size > most_ranks) {
    throw std::invalid_argument("a group of " + std::to_string(size) + " ranks: 0 to " + std::to_string(most_ranks) +
                                " can be described");
  }
  return {size, Identity{}};
}

Rank Group::rank_of(Rank world) const {
  if (empty()) return undefined;
  switch (format()) {
    case Format::identity:
      return Identity::rank_of(world, size_);
    case Format::stride:
      return std::get_if<Stride>(&members_)->rank_of(world, size_);
    case Format::list:
      return std::get_if<List>(&members_)->rank_of(world);
    case Format::ranges:
      return std::get_if<Ranges>(&members_)->rank_of(world);
    case Format::grid:
      return std::get_if<Grid>(&members_)->rank_of(world, size_);
    case Format::chain:
      return std::get_if<Chain>(&members_)->rank_of(world);
    case Format::bitmap:
      return std::get_if<Bitmap>(&members_)->rank_of(world);
  }
  return undefined;
}

std::size_t Group::bytes() const {
  return std::visit([](const auto& members) { return members.bytes(); }, members_);
}

std::size_t Group::footprint() const {
  const std::size_t heap = entry(format()).heap;
  return sizeof(Group) + (heap > 0 ? bytes() + heap : 0);
}

bool Group::pieces(std::vector<Piece>& out) const {
  const auto gather = [&](Rank count, const auto& of) {
    for (Rank i = 0; i < count; ++i) out.push_back(of.piece(i));
  };
  if (empty()) return true;
  switch (format()) {
    case Format::identity:
      out.push_back(Piece::run(0, 1, size_));
      return true;
    case Format::stride: {
      const auto* stride = std::get_if<Stride>(&members_);
      out.push_back(Piece::run(stride->first, stride->step, size_));
      return true;
    }
    case Format::ranges:
      gather(std::get_if<Ranges>(&members_)->count(), *std::get_if<Ranges>(&members_));
      return true;
    case Format::grid:
      out.push_back(std::get_if<Grid>(&members_)->piece(size_));
      return true;
    case Format::chain:
      gather(std::get_if<Chain>(&members_)->count(), *std::get_if<Chain>(&members_));
      return true;
    case Format::list:
    case Format::bitmap:
      return false;
  }
  return false;
}

}  // namespace heddle::group
