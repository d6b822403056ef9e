// mpi/types/registry.cpp: entries hang on their datatypes as an attribute, so the host tells us when one is gone, whoever
// frees it. The attribute owns the entry; the table only points to it. At first use an entry is decoded.
#include "mpi/types/registry.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "mpi/process/process.hpp"
#include "mpi/types/decode.hpp"

namespace heddle::mpi {

constinit Table table;

bool Entry::prepare(MPI_Datatype type) noexcept {
  // One type is decoded at a time: it happens once for each, and the rest of the process can wait for it. Nothing that is
  // called from here takes this lock again.
  static constinit std::mutex decoding;
  const std::lock_guard lock(decoding);
  if (const State now = state_.load(std::memory_order_acquire); now != State::fresh) return now == State::ready;
  State result = State::native;
  try {
    Decoded found = decode(type);
    signature_ = found.signature;
    wire_ = layout::wire_form(found.layout, signature_, MPI_BYTE, pair_of);
    describe(std::move(found.layout), {.largest_number = signature_.largest,
                                       .host_packs_while_it_sends = traits().packs_while_it_sends,
                                       .wanted = settings_of_process().messages});
    result = State::ready;
  } catch (const std::exception& reason) {
    say_once_verbose("a datatype is left to the host MPI", reason.what());
  }
  state_.store(result, std::memory_order_release);
  return result == State::ready;
}

namespace {

constinit std::mutex keyval_lock;
constinit bool keyval_made = false;
int keyval = MPI_KEYVAL_INVALID;

int freed(MPI_Datatype type, int, void* attribute, void*) {
  table.erase(type);
  static_cast<Entry*>(attribute)->release();
  return MPI_SUCCESS;
}

bool have_keyval() noexcept {
  const std::lock_guard lock(keyval_lock);
  if (!keyval_made) keyval_made = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, freed, &keyval, nullptr) == MPI_SUCCESS;
  return keyval_made;
}

/// Takes over one use of `entry`. False: no memory.
bool enter(MPI_Datatype type, Entry* entry) noexcept {
  if (!have_keyval() || PMPI_Type_set_attr(type, keyval, entry) != MPI_SUCCESS) {
    entry->release();
    return false;
  }
  try {
    table.insert(type, entry);
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // the attribute frees the entry
  }
}

/// Predefined types, decoded when a call mixes them with derived ones. Few, and never freed.
constinit Table named;
constinit std::mutex named_lock;

Entry* named_entry(MPI_Datatype type) noexcept {
  if (Entry* entry = named.find(type)) return entry;
  if (!names_predefined(combiner_of(type))) return nullptr;
  const std::lock_guard lock(named_lock);
  if (Entry* entry = named.find(type)) return entry;
  auto* entry = new (std::nothrow) Entry;
  try {
    if (entry) named.insert(type, entry);
  } catch (const std::bad_alloc&) {
    entry->release();
    entry = nullptr;
  }
  return entry;
}

}  // namespace

const Entry* hold_any(MPI_Datatype type) noexcept {
  if (type == MPI_DATATYPE_NULL) return nullptr;  // to ask the host would raise an error on another communicator
  Entry* entry = table.find(type);
  if (!entry) entry = named_entry(type);
  if (!entry || !entry->ready(type)) return nullptr;
  entry->retain();
  return entry;
}

bool committed(MPI_Datatype type) noexcept {
  if (!running() || table.find(type)) return true;
  if (const int combiner = combiner_of(type); combiner == MPI_UNDEFINED || names_predefined(combiner)) return true;
  auto* entry = new (std::nothrow) Entry;
  return entry && enter(type, entry);
}

bool duplicated(MPI_Datatype type, MPI_Datatype copy) noexcept {
  Entry* entry = table.find(type);
  if (!entry) return committed(copy);  // of a predefined type, which is committed from birth
  if (!running()) return true;
  entry->retain();
  return enter(copy, entry);
}

void forget_types() noexcept {
  table.clear();
  const std::lock_guard lock(keyval_lock);
  if (keyval_made) PMPI_Type_free_keyval(&keyval);
  keyval_made = false;
}

}  // namespace heddle::mpi
