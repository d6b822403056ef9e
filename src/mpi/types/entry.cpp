// mpi/types/entry.cpp: decoding at first use, and the form in which a type travels.
#include "mpi/types/entry.hpp"

#include <exception>
#include <memory>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "layout/transfer.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"

namespace heddle::mpi {

bool Entry::prepare(MPI_Datatype type) noexcept {
  // One type is decoded at a time: it happens once for each, and the rest of the process can wait for it. Nothing that is
  // called from here takes this lock again.
  static constinit std::mutex decoding;
  const std::lock_guard lock(decoding);
  if (const State now = state_.load(std::memory_order_acquire); now != State::fresh) return now == State::ready;
  State result = State::native;
  try {
    decoded_ = decode(type);
    choose_wire();
    result = State::ready;
  } catch (const std::exception& reason) {
    say_once_verbose("a datatype is left to the host MPI", reason.what());
  }
  state_.store(result, std::memory_order_release);
  return result == State::ready;
}

Entry::~Entry() {
  if (engine::DatatypeCache* cache = datatype_cache_.load(std::memory_order_acquire)) cache->strike(listed_);
  delete statistics_.load(std::memory_order_acquire);
}

const select::Statistics* Entry::statistics() const noexcept try {
  if (const select::Statistics* made = statistics_.load(std::memory_order_acquire)) return made;
  auto fresh = std::make_unique<const select::Statistics>(decoded_.layout);
  const select::Statistics* first = nullptr;
  if (!statistics_.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel)) return first;  // another thread's
  return fresh.release();
} catch (const std::exception&) {
  return nullptr;
}

engine::Listed Entry::listed(engine::DatatypeCache& cache) const noexcept {
  if (!datatype_cache_.load(std::memory_order_acquire)) {
    static constinit std::mutex listing;
    const std::lock_guard lock(listing);
    if (!datatype_cache_.load(std::memory_order_relaxed)) {
      listed_ = cache.list(decoded_.layout);
      datatype_cache_.store(&cache, std::memory_order_release);
    }
  }
  return listed_;
}

void Entry::choose_wire() {
  const layout::Layout& form = decoded_.layout;
  const Signature& signature = decoded_.signature;
  size_ = form.size();
  if (size_ > 0) {
    const layout::Segment first = layout::Cursor(form, 1).peek();
    first_byte_ = first.offset;
    first_piece_ = first.length;
  }

  const bool even = !signature.mixed && signature.elements > 0 && signature.elements % 2 == 0;
  const Pair* two = even && !signature.uniform() ? pair_of(signature.first, signature.second) : nullptr;
  if (two) {
    const Count per = signature.elements / 2;
    wire_ = {two->pair, per, two->extent, two, two->layout()};
    const layout::Layout row = layout::contiguous(per, wire_.pair_layout);
    in_memory_once_ = layout::same(form.root().node, row.root().node);
    in_memory_ = in_memory_once_ && form.extent() == row.extent();
  } else {
    if (signature.uniform())
      wire_ = {signature.first, signature.elements, size_ / signature.elements, nullptr, {}};
    else
      wire_ = {MPI_BYTE, size_, 1, nullptr, {}};
    in_memory_ = form.dense();
    in_memory_once_ = size_ == 0 || form.node()->contiguous();
  }
  // What describes nothing is handed on as no bytes: MPICH 5.0.2 divides by zero when it receives some types of size 0.
  for (const bool several : {false, true}) {
    const select::Message message{.several = several,
                                  .largest_number = signature.largest,
                                  .host_packs_while_it_sends = traits().packs_while_it_sends,
                                  .wanted = settings_of_process().messages};
    packs_from_[several ? 1 : 0] = size_ == 0 ? 0 : select::packs_from(form, message);
  }
}

void Entry::to_wire(const void* from, Count count, void* wire) const {
  if (wire_.pair)
    layout::transfer(decoded_.layout, count, from, wire_.pair_layout, count * wire_.per, wire);
  else
    layout::pack(decoded_.layout, count, from, wire);
}

void Entry::from_wire(void* to, Count count, const void* wire) const {
  if (wire_.pair)
    layout::transfer(wire_.pair_layout, count * wire_.per, wire, decoded_.layout, count, to);
  else
    layout::unpack(decoded_.layout, count, to, wire);
}

bool decoded_before(MPI_Datatype type, Decoded& decoded) {
  const Entry* entry = table.find(type);
  if (!entry || !entry->known()) return false;
  decoded = entry->decoded();
  return true;
}

}  // namespace heddle::mpi
