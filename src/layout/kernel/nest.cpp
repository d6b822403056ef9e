// layout/kernel/nest.cpp: finds the order of the loops. A kernel gets at most two loops of a nest
// at a time.
//
//   drop     counts of 1; reverse loops that run backwards; absorb a loop that only lengthens the block
//   fuse     two loops that are one: outer.stride == inner.stride * inner.count on both sides
//   sort     the loop with the smallest strides innermost
//   choose   both sides agree on the innermost loop: a plane. They do not: a transpose of the two loops
//            (choose_kernel.hpp: by which kernel)
#include <cstring>
#include <optional>

#include "layout/kernel/cache_lines.hpp"
#include "layout/kernel/kernel_table.hpp"
#include "layout/kernel/ready.hpp"

namespace heddle::layout::kernel {
namespace {

constexpr Dim once{1, 0, 0};

struct Nest {
  Bytes to = 0, from = 0;  // place of its first block
  Bytes block = 0;
  std::size_t size = 0;
  Dim dims[max_dims];

  void remove(std::size_t i) {
    for (--size; i < size; ++i) dims[i] = dims[i + 1];
  }
};

/// Takes over the loops that matter. They all run upwards if the two sides agree on their
/// direction. False: there is nothing to do.
bool take(Nest& nest, std::span<const Dim> dims) {
  for (Dim dim : dims) {
    if (dim.count <= 0) return false;
    if (dim.count == 1) continue;
    if (dim.to < 0 || (dim.to == 0 && dim.from < 0)) {
      nest.to += (dim.count - 1) * dim.to;
      nest.from += (dim.count - 1) * dim.from;
      dim.to = -dim.to;
      dim.from = -dim.from;
    }
    nest.dims[nest.size++] = dim;
  }
  return nest.block > 0;
}

void fuse(Nest& nest) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < nest.size && !changed; ++i) {
      const Dim inner = nest.dims[i];
      if (inner.to == nest.block && inner.from == nest.block) {
        nest.block *= inner.count;
        nest.remove(i);
        changed = true;
        break;
      }
      for (std::size_t j = 0; j < nest.size; ++j) {
        Dim& outer = nest.dims[j];
        if (j == i || outer.to != inner.to * inner.count || outer.from != inner.from * inner.count) continue;
        outer = {inner.count * outer.count, inner.to, inner.from};
        nest.remove(i);
        changed = true;
        break;
      }
    }
  }
}

/// Puts the largest strides outermost. If the two sides disagree, the destination decides, because
/// stores are dearer than loads.
void sort(Nest& nest) {
  const auto before = [](const Dim& a, const Dim& b) {
    return magnitude(a.to) != magnitude(b.to) ? magnitude(a.to) > magnitude(b.to) : magnitude(a.from) > magnitude(b.from);
  };
  for (std::size_t i = 1; i < nest.size; ++i)
    for (std::size_t j = i; j > 0 && before(nest.dims[j], nest.dims[j - 1]); --j) std::swap(nest.dims[j], nest.dims[j - 1]);
}

/// The innermost two loops, and the kernel that walks them.
struct Leaf {
  NestRun run;
  Dim outer, inner;
  Bytes block;
  bool disagree;
};

void walk(std::byte* to, const std::byte* from, const Dim* dims, std::size_t count, const Leaf& leaf) {
  if (count == 0) return leaf.run(to, from, leaf.outer, leaf.inner, leaf.block);
  for (Count i = 0; i < dims->count; ++i) walk(to + i * dims->to, from + i * dims->from, dims + 1, count - 1, leaf);
}

void one_block(std::byte* to, const std::byte* from, const Dim&, const Dim&, Bytes block) {
  std::memcpy(to, from, static_cast<std::size_t>(block));
}

Leaf leaf_of(const Dim& outer, const Dim& inner, Bytes block, bool disagree) {
  return {current->nest_for(outer, inner, block, disagree), outer, inner, block, disagree};
}

/// Takes the innermost two loops from the nest.
Leaf leaf_of(Nest& nest) {
  if (nest.size == 0) return {one_block, once, once, nest.block, false};
  if (nest.size == 1) {
    const Dim only = nest.dims[0];
    nest.remove(0);
    return leaf_of(once, only, nest.block, false);
  }
  sort(nest);
  const std::size_t inner = nest.size - 1;  // smallest stride at the destination
  std::size_t fast_from = inner;
  for (std::size_t i = 0; i < nest.size; ++i)
    if (magnitude(nest.dims[i].from) < magnitude(nest.dims[fast_from].from)) fast_from = i;
  const bool disagree = fast_from != inner && in_tiles(nest.block, current_thresholds);
  const std::size_t other = disagree ? fast_from : inner - 1;
  const Leaf leaf = disagree ? leaf_of(nest.dims[inner], nest.dims[other], nest.block, true)
                             : leaf_of(nest.dims[other], nest.dims[inner], nest.block, false);
  nest.remove(inner);
  nest.remove(other);
  return leaf;
}

[[gnu::noinline]] void any_nest(std::byte* to, const std::byte* from, std::span<const Dim> dims, Bytes block) {
  Nest nest;
  nest.block = block;
  if (!take(nest, dims)) return;
  fuse(nest);
  const Leaf leaf = leaf_of(nest);
  walk(to + nest.to, from + nest.from, nest.dims, nest.size, leaf);
}

}  // namespace

void nest(std::byte* to, const std::byte* from, std::span<const Dim> dims, Bytes block) {
  // A vector, the most frequent nest, goes straight to its kernel.
  if (dims.size() == 1 && dims[0].count > 1 && block > 0 && (dims[0].to != block || dims[0].from != block))
    return current->nest_for(once, dims[0], block, false)(to, from, once, dims[0], block);
  any_nest(to, from, dims, block);
}

std::optional<Chosen> chosen(std::span<const Dim> dims, Bytes block) {
  Nest nest;
  nest.block = block;
  if (dims.size() > max_dims || !take(nest, dims)) return std::nullopt;
  fuse(nest);
  const Leaf leaf = leaf_of(nest);
  const NestFacts facts{leaf.outer, leaf.inner, leaf.block, leaf.disagree, isa()};
  Choice choice = choose_kernel(leaf.outer, leaf.inner, leaf.block, leaf.disagree, isa(), current_thresholds);
  if (choice.because == Because::stores_collide) choice = decide_here(leaf.outer, leaf.inner, leaf.block, leaf.disagree, isa());
  return Chosen{facts, choice, nest.size};
}

bool Ready::make(std::span<const Dim> dims, Bytes block) noexcept {
  Nest nest;
  nest.block = block;
  if (dims.size() > max_dims || !take(nest, dims)) return false;
  fuse(nest);
  const Leaf leaf = leaf_of(nest);
  if (nest.size > most_loops) return false;
  leaf_ = leaf.run;
  outer_ = leaf.outer;
  inner_ = leaf.inner;
  block_ = leaf.block;
  to_ = nest.to;
  from_ = nest.from;
  loops_ = nest.size;
  for (std::size_t i = 0; i < loops_; ++i) further_[i] = nest.dims[i];
  return true;
}

}  // namespace heddle::layout::kernel
