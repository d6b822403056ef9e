// mpi/types/registry.cpp: each committed type has an attribute, so the host tells Heddle when a
// type is freed. The table holds one use of an entry for each handle. At first use, a handle gets
// the entry of its contents.
#include "mpi/types/registry.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "layout/immortal.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/content_cache.hpp"
#include "mpi/types/contents.hpp"
#include "mpi/types/decode.hpp"

namespace heddle::mpi {

constinit Table table;

namespace {

/// One type is decoded at a time. Other threads can wait for it. No call under this lock takes it
/// again: when the host frees a type, Heddle only erases and releases its entry.
constinit std::mutex decoding;

struct Decoding {
  Contents contents;  // kept, since its memory is used again
  ContentCache cache;
};
Decoding& state_of_decoding() {
  static layout::Immortal<Decoding> state;
  return *state;
}

Entry& fresh_entry() {
  static layout::Immortal<Entry> entry(Entry::State::fresh);
  return *entry;
}
/// The entry of long lists that had one message.
Entry& met_entry() {
  static layout::Immortal<Entry> entry(Entry::State::met);
  return *entry;
}
/// The entry of all types that are left to the host.
Entry& native_entry() {
  static layout::Immortal<Entry> entry(Entry::State::native);
  return *entry;
}
Entry* used(Entry& entry) {
  entry.retain();
  return &entry;
}

/// The caller gets a use of the entry. Throws std::bad_alloc.
Entry* made(MPI_Datatype type, bool is_vector = false) {
  try {
    return new Entry(decode(type), is_vector);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& reason) {
    say_once_verbose("a datatype is left to the host MPI", reason.what());
  }
  return used(native_entry());
}

/// Bytes. Heddle decodes a shorter list at its first message.
constexpr std::size_t long_row = 16 << 10;

/// The caller gets a use of the entry. Throws std::bad_alloc.
/// @param first_message  Nobody has used this handle before.
Entry* looked_up(MPI_Datatype type, bool first_message) {
  auto& [contents, cache] = state_of_decoding();
  if (!contents.read(type)) return first_message ? used(met_entry()) : made(type);
  const std::uint64_t hash = contents.hash();
  if (Entry* const alike = cache.find(contents, hash)) return used(*alike);
  if (first_message && contents.row().size() >= long_row && !cache.meet(hash)) return used(met_entry());
  Entry* const entry = made(type, contents.is_vector());
  cache.add(contents, hash, entry);
  return entry;
}

}  // namespace

Entry::Entry(Decoded found, bool is_vector) : state_(State::ready), signature_(found.signature) {
  wire_ = layout::wire_form(found.layout, signature_, MPI_BYTE, pair_of);
  describe(std::move(found.layout), {.largest_number = signature_.largest,
                                     .is_vector = is_vector,
                                     .host_packs_while_it_sends = traits().packs_while_it_sends,
                                     .wanted = settings_of_process().messages});
}

namespace {

/// The user has named no way for all messages.
bool may_leave_messages() noexcept {
  const settings::Settings& set = settings_of_process();
  return set.messages == settings::Messages::automatic && set.scheme == settings::Scheme::automatic;
}

}  // namespace

Entry* Entry::look(MPI_Datatype type, Use use) noexcept {
  const std::lock_guard lock(decoding);
  Entry* entry = table.find(type);  // another thread may have been here
  if (!entry || entry->known() || entry->state_ == State::native) return entry && entry->known() ? entry : nullptr;
  try {
    entry = looked_up(type, use == Use::message && entry->fresh() && may_leave_messages());
  } catch (const std::bad_alloc&) {
    return nullptr;  // the next use tries again
  }
  table.replace(type, entry);
  return entry->known() ? entry : nullptr;
}

namespace {

constinit std::mutex keyval_lock;
constinit bool keyval_made = false;
int keyval = MPI_KEYVAL_INVALID;

int freed(MPI_Datatype type, int, void*, void*) {
  if (const Entry* entry = table.erase(type)) entry->release();
  return MPI_SUCCESS;
}

bool have_keyval() noexcept {
  const std::lock_guard lock(keyval_lock);
  if (!keyval_made) keyval_made = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, freed, &keyval, nullptr) == MPI_SUCCESS;
  return keyval_made;
}

/// Takes over one use of `entry`. False: no memory.
bool enter(MPI_Datatype type, Entry* entry) noexcept {
  try {
    if (have_keyval() && PMPI_Type_set_attr(type, keyval, nullptr) == MPI_SUCCESS) {
      table.insert(type, entry);
      return true;
    }
  } catch (const std::bad_alloc&) {
    // Ends like a refusal of the host.
  }
  entry->release();
  return false;
}

/// Predefined types, decoded when a call mixes them with derived ones. Few, and never freed.
constinit Table named;
constinit std::mutex named_lock;

/// Null: the type is not predefined, or is left to the host.
const Entry* named_entry(MPI_Datatype type) noexcept {
  const Entry* entry = named.find(type);
  if (!entry && names_predefined(combiner_of(type))) {
    const std::lock_guard lock(named_lock);
    entry = named.find(type);
    try {
      if (!entry) {
        Entry* const fresh = made(type);
        named.insert(type, fresh);
        entry = fresh;
      }
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  return entry && entry->known() ? entry : nullptr;
}

}  // namespace

const Entry* hold_any(MPI_Datatype type) noexcept {
  if (type == MPI_DATATYPE_NULL) return nullptr;  // the host would raise an error on another communicator
  Entry* const derived = table.find(type);
  const Entry* const entry = derived ? derived->ready(type) : named_entry(type);
  if (entry) entry->retain();
  return entry;
}

bool committed(MPI_Datatype type) noexcept {
  if (!running() || table.find(type)) return true;
  if (const int combiner = combiner_of(type); combiner == MPI_UNDEFINED || names_predefined(combiner)) return true;
  return enter(type, used(fresh_entry()));
}

bool duplicated(MPI_Datatype type, MPI_Datatype copy) noexcept {
  Entry* entry = table.find(type);
  // A duplicate is committed if its original is: a predefined type always is.
  if (!entry) return !names_predefined(combiner_of(type)) || committed(copy);
  if (!running()) return true;
  entry->retain();
  return enter(copy, entry);
}

void forget_types() noexcept {
  table.clear([](const Entry* entry) { entry->release(); });
  {
    const std::lock_guard lock(decoding);
    state_of_decoding().cache.clear();
  }
  const std::lock_guard lock(keyval_lock);
  if (keyval_made) PMPI_Type_free_keyval(&keyval);
  keyval_made = false;
}

}  // namespace heddle::mpi
