// sim/model/network.cpp
#include "model/network.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle::sim {

Network::Network(const std::string& kind, std::vector<Rank> sizes) : sizes_(std::move(sizes)) {
  const auto wants = [&](std::size_t numbers) {
    if (sizes_.size() != numbers || std::ranges::any_of(sizes_, [](Rank one) { return one < 1; }))
      throw std::invalid_argument("a " + kind + " of " + std::to_string(sizes_.size()) + " sizes");
  };
  const auto product = [&](std::size_t count) {
    std::int64_t all = 1;
    for (std::size_t i = 0; i < count; ++i) all *= sizes_[i];
    if (all > 1 << 28) throw std::invalid_argument("too many nodes");
    return static_cast<Rank>(all);
  };
  if (kind == "torus") {
    wants(3);
    kind_ = Kind::torus;
    nodes_ = product(3);
    links_ = static_cast<std::size_t>(nodes_) * 6;
  } else if (kind == "fat-tree") {
    wants(3);
    kind_ = Kind::fat_tree;
    nodes_ = product(2);
    links_ = static_cast<std::size_t>(nodes_) * 2 + size(1) * size(2) * 2;
  } else if (kind == "dragonfly") {
    wants(4);
    kind_ = Kind::dragonfly;
    nodes_ = product(4);
    if (sizes_[0] > sizes_[2]) throw std::invalid_argument("a dragonfly with more groups than routers of a chassis");
    const std::size_t routers = size(0) * size(1) * size(2);
    links_ = static_cast<std::size_t>(nodes_) * 2 + routers * (size(2) + size(1)) + size(0) * size(0);
  } else if (kind == "switch") {
    wants(1);
    kind_ = Kind::one_switch;
    nodes_ = product(1);
    links_ = static_cast<std::size_t>(nodes_) * 2;
  } else {
    throw std::invalid_argument("no network is called " + kind);
  }
}

void Network::around_torus(Rank from, Rank to, std::vector<std::size_t>& links) const {
  Rank below = 1;  // a step in this dimension changes the node's number by this
  Rank at = from;
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    const Rank length = sizes_[dimension];
    Rank here = at / below % length;
    const Rank there = to / below % length;
    const bool ahead = schedule::around(there - here, length) <= length / 2;
    while (here != there) {
      links.push_back(static_cast<std::size_t>(at) * 6 + dimension * 2 + (ahead ? 0 : 1));
      const Rank next = schedule::around(here + (ahead ? 1 : -1), length);
      at += (next - here) * below;
      here = next;
    }
    below *= length;
  }
}

void Network::over_groups(Rank from, Rank to, std::vector<std::size_t>& links) const {
  struct Router {
    std::size_t group, chassis, blade;
    bool operator==(const Router&) const = default;
  };
  const auto router_of = [&](Rank node) {
    std::size_t i = static_cast<std::size_t>(node) / size(3);
    const std::size_t blade = i % size(2);
    i /= size(2);
    return Router{i / size(1), i % size(1), blade};
  };
  const std::size_t locals = static_cast<std::size_t>(nodes_) * 2;
  const std::size_t each = size(2) + size(1);
  const auto first_of = [&](const Router& one) {
    return locals + ((one.group * size(1) + one.chassis) * size(2) + one.blade) * each;
  };
  Router at = router_of(from);
  const Router target = router_of(to);
  const auto to_blade = [&](std::size_t blade) {
    if (at.blade == blade) return;
    links.push_back(first_of(at) + blade);
    at.blade = blade;
  };
  const auto to_chassis = [&](std::size_t chassis) {
    if (at.chassis == chassis) return;
    links.push_back(first_of(at) + size(2) + chassis);
    at.chassis = chassis;
  };
  links.push_back(static_cast<std::size_t>(from) * 2);
  if (at.group != target.group) {
    to_blade(target.group);
    to_chassis(0);
    links.push_back(locals + size(0) * size(1) * size(2) * each + at.group * size(0) + target.group);
    at = {target.group, 0, at.group};
  }
  to_blade(target.blade);
  to_chassis(target.chassis);
  links.push_back(static_cast<std::size_t>(to) * 2 + 1);
}

void Network::route(Rank from, Rank to, std::vector<std::size_t>& links) const {
  links.clear();
  if (from == to) return;
  const auto up = static_cast<std::size_t>(from) * 2;
  const auto down = static_cast<std::size_t>(to) * 2 + 1;
  switch (kind_) {
    case Kind::torus:
      return around_torus(from, to, links);
    case Kind::dragonfly:
      return over_groups(from, to, links);
    case Kind::one_switch:
      links = {up, down};
      return;
    case Kind::fat_tree: {
      const std::size_t leaf = static_cast<std::size_t>(from) / size(0);
      const std::size_t other = static_cast<std::size_t>(to) / size(0);
      const std::size_t spine = static_cast<std::size_t>(to) % size(2);
      const std::size_t leaf_links = static_cast<std::size_t>(nodes_) * 2;
      links.push_back(up);
      if (leaf != other) {
        links.push_back(leaf_links + (leaf * size(2) + spine) * 2);
        links.push_back(leaf_links + (other * size(2) + spine) * 2 + 1);
      }
      links.push_back(down);
    }
  }
}

double Network::mean_hops(Rank among) const {
  constexpr Rank samples = 512;
  std::vector<std::size_t> links;
  double all = 0;
  double pairs = 0;
  for (Rank i = 0; i < samples && among > 1; ++i) {
    const auto at = [&](std::int64_t factor) { return static_cast<Rank>((i * factor + i / 7) % among); };
    route(at(7919), at(104729 + 13), links);
    all += static_cast<double>(links.size());
    pairs += links.empty() ? 0 : 1;
  }
  return pairs > 0 ? all / pairs : 1;
}

}  // namespace heddle::sim
