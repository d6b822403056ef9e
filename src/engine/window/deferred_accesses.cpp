// engine/window/deferred_accesses.cpp: lists of accesses in shared memory. The target checks each
// entry before it serves it.
#include "engine/window/deferred_accesses.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "engine/base/footprint.hpp"
#include "layout/pack.hpp"
#include "layout/wire.hpp"

namespace heddle::engine {
namespace {

/// The header of a record. The layout and the data follow, each from the next multiple of 64 bytes.
struct Record {
  std::uint32_t get;
  std::uint32_t layout_bytes;
  Bytes displacement;
  Bytes bytes;
  Count count;
  transport::Place next;  ///< Version 0: there is none.
  Bytes next_bytes;
};

constexpr Bytes cache_line = 64;
constexpr Bytes whole_lines(Bytes bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }
constexpr Bytes layout_at = whole_lines(sizeof(Record));

}  // namespace

/// The work of a target for one origin.
struct DeferredAccesses::Serving {
  std::byte* base;
  Bytes size;
  std::byte* gets = nullptr;
  Bytes gets_bytes = 0;
  Bytes gets_at = 0;  // of the next get

  /// False: refused.
  bool carry_out(const Record& record, const layout::Layout& layout, std::span<const std::byte> data) noexcept try {
    Bytes bytes = 0;
    const std::optional<Footprint> range = checked_footprint_of(layout, record.count);
    if (!range || __builtin_mul_overflow(layout.size(), record.count, &bytes) || bytes != record.bytes ||
        record.displacement < 0 || record.displacement > size || range->low < -record.displacement ||
        range->high > size - record.displacement)
      return false;
    std::byte* const there = base + record.displacement;
    if (!record.get) {
      if (std::cmp_less(data.size(), bytes)) return false;
      layout::unpack(layout, record.count, there, data.data());
      return true;
    }
    if (!gets || bytes > gets_bytes - gets_at) return false;
    layout::pack(layout, record.count, there, gets + gets_at);
    gets_at += bytes;
    return true;
  } catch (const std::exception&) {
    return false;
  }
};

DeferredAccesses::DeferredAccesses(Memory& memory, DeferredLists& mine, std::vector<const DeferredLists*> lists, int me)
    : memory_(memory), mine_(mine), lists_(std::move(lists)), me_(me), known_(lists_.size()), progress_(lists_.size()) {}

DeferredAccesses::~DeferredAccesses() {
  for (const Block& each : blocks_) memory_.release(each.memory.address);
  for (std::byte* const each : answered_) memory_.release(each);
}

bool DeferredAccesses::defer(const Access& access) noexcept try {
  const std::vector<std::byte> wire = layout::wire::encode(access.there.layout);
  if (wire.size() > longest_layout) return false;
  const Bytes data_at = layout_at + whole_lines(static_cast<Bytes>(wire.size()));
  std::byte* const block = keep({.access = access, .bytes = data_at + (access.get ? 0 : whole_lines(access.bytes))});
  if (!block) return false;
  const Record record{.get = access.get,
                      .layout_bytes = static_cast<std::uint32_t>(wire.size()),
                      .displacement = access.displacement,
                      .bytes = access.bytes,
                      .count = access.there.count,
                      .next = {},
                      .next_bytes = 0};
  std::memcpy(block, &record, sizeof record);
  std::memcpy(block + layout_at, wire.data(), wire.size());
  if (!access.get) layout::pack(access.here.layout, access.here.count, access.address, block + data_at);
  return true;
} catch (const std::exception&) {
  return false;
}

/// Room for a record. Null: the epoch has deferred enough, or there is no memory.
std::byte* DeferredAccesses::keep(Pending pending) {
  Bytes& so_far = pending.access.get ? gets_ : puts_;
  if (pending.access.bytes > most - so_far) return nullptr;
  if (blocks_.empty() || blocks_.back().used > blocks_.back().size - pending.bytes) {
    blocks_.reserve(blocks_.size() + 1);
    const Bytes size = std::max(pending.bytes, usual_block);
    const Memory::Block block = memory_.allocate(size);
    if (!block.address) return nullptr;
    blocks_.push_back({block, size, 0});
  }
  Block& block = blocks_.back();
  pending.record = block.memory.address + block.used;
  pending.place = block.memory.place;
  pending.place.offset += block.used;
  pending_.push_back(pending);
  block.used += pending.bytes;
  so_far += pending.access.bytes;
  return pending.record;
}

void DeferredAccesses::show() noexcept {
  if (pending_.empty()) return;
  for (const Pending& each : pending_)
    mine_.ranks[each.access.rank].shown = {.epoch = epoch_, .first = {}, .first_bytes = 0, .gets = 0};
  // From the last record to the first, so that each finds its successor in the list.
  for (auto pending = pending_.rbegin(); pending != pending_.rend(); ++pending) {
    DeferredLists::Shown& shown = mine_.ranks[pending->access.rank].shown;
    auto* const record = reinterpret_cast<Record*>(pending->record);
    record->next = shown.first;
    record->next_bytes = shown.first_bytes;
    shown.first = pending->place;
    shown.first_bytes = pending->bytes;
    if (pending->access.get) shown.gets += pending->access.bytes;
  }
  mine_.shown.store(epoch_, std::memory_order_release);
}

bool DeferredAccesses::any_shown() const noexcept {
  return std::ranges::any_of(
      lists_, [&](const DeferredLists* lists) { return lists->shown.load(std::memory_order_acquire) == epoch_; });
}

void DeferredAccesses::serve(std::byte* base, Bytes size) noexcept {
  for (int rank = 0; std::cmp_less(rank, lists_.size()); ++rank)
    if (rank != me_ && lists_[static_cast<std::size_t>(rank)]->shown.load(std::memory_order_acquire) == epoch_)
      serve_origin(rank, base, size);
  std::atomic_thread_fence(std::memory_order_release);
}

const layout::Layout* DeferredAccesses::layout_of(int rank, std::span<const std::byte> wire) noexcept try {
  Known& known = known_[static_cast<std::size_t>(rank)];
  if (!std::ranges::equal(known.wire, wire)) {
    known.wire.clear();
    known.layout = layout::wire::decode(wire);
    known.wire.assign(wire.begin(), wire.end());
  }
  return &known.layout;
} catch (const std::exception&) {
  return nullptr;
}

void DeferredAccesses::serve_origin(int rank, std::byte* base, Bytes size) noexcept {
  const DeferredLists::Shown& shown = lists_[static_cast<std::size_t>(rank)]->ranks[me_].shown;
  if (shown.epoch != epoch_) return;
  DeferredLists::Answer answer{.epoch = epoch_, .served = 0, .gets = {}, .gets_bytes = 0};
  Serving serving{.base = base, .size = size};
  if (shown.gets > 0 && shown.gets <= most) try {
      answered_.reserve(answered_.size() + 1);
      if (const Memory::Block block = memory_.allocate(shown.gets); block.address) {
        answered_.push_back(serving.gets = block.address);
        answer.gets = block.place;
        answer.gets_bytes = serving.gets_bytes = shown.gets;
      }
    } catch (const std::exception&) {  // it refuses the gets
    }
  transport::Place place = shown.first;
  for (Bytes bytes = shown.first_bytes; place.version != 0;) {
    const std::byte* const block = bytes >= layout_at ? memory_.map(rank, place, bytes) : nullptr;
    if (!block) break;
    Record record;
    std::memcpy(&record, block, sizeof record);
    const Bytes data_at = layout_at + whole_lines(record.layout_bytes);
    if (data_at > bytes) break;
    const layout::Layout* const layout = layout_of(rank, {block + layout_at, record.layout_bytes});
    if (!layout || !serving.carry_out(record, *layout, {block + data_at, static_cast<std::size_t>(bytes - data_at)})) break;
    ++answer.served;
    place = record.next;
    bytes = record.next_bytes;
  }
  mine_.ranks[rank].answer = answer;
}

bool DeferredAccesses::collect_get(const Pending& pending, const DeferredLists::Answer& answer, Bytes at) noexcept try {
  const Access& access = pending.access;
  if (at > answer.gets_bytes || access.bytes > answer.gets_bytes - at) return false;
  const std::byte* const gets = memory_.map(access.rank, answer.gets, answer.gets_bytes);
  if (gets) layout::unpack(access.here.layout, access.here.count, access.address, gets + at);
  return gets != nullptr;
} catch (const std::exception&) {
  return false;
}

void DeferredAccesses::collect(const std::function<void(const Access&)>& redo) noexcept {
  std::atomic_thread_fence(std::memory_order_acquire);
  std::ranges::fill(progress_, Progress{});
  for (const Pending& pending : pending_) {
    const Access& access = pending.access;
    const DeferredLists::Answer& answer = lists_[static_cast<std::size_t>(access.rank)]->ranks[me_].answer;
    Progress& progress = progress_[static_cast<std::size_t>(access.rank)];
    const bool served = answer.epoch == epoch_ && progress.records++ < answer.served;
    if (!served || (access.get && !collect_get(pending, answer, progress.gets))) redo(access);
    if (access.get) progress.gets += access.bytes;
  }
}

void DeferredAccesses::end() noexcept {
  forget();
  for (std::byte* const each : answered_) memory_.release(each);
  answered_.clear();
  ++epoch_;
}

void DeferredAccesses::take_back(const std::function<void(const Access&)>& redo) noexcept {
  for (const Pending& each : pending_) redo(each.access);
  forget();
}

void DeferredAccesses::forget() noexcept {
  pending_.clear();
  puts_ = gets_ = 0;
  // A program that defers accesses in one epoch mostly does so in the next. Warm memory is quicker.
  const std::size_t kept = !blocks_.empty() && blocks_.front().size <= most_kept ? 1 : 0;
  for (std::size_t i = kept; i < blocks_.size(); ++i) memory_.release(blocks_[i].memory.address);
  blocks_.resize(kept);
  if (kept > 0) blocks_.front().used = 0;
}

}  // namespace heddle::engine
