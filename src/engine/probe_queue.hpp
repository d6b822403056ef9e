// engine/probe_queue.hpp: descriptors that a probe has come across. The program must be told the
// size of the message, which the length of the descriptor stands for (lengths.hpp): so a probe
// takes nothing, and a matched probe gives out what the library has matched. What MPI does for it
// is handed in.
//
//   MPI_Iprobe(3, 7, comm) ──▶ 224 bytes from 3? ──▶ what do 224 bytes from 3 mean? ──▶ status: 3, 7, 1 MiB
//
// Where a length may be either (unclear), the probe has to receive it, and holds it until a receive or a matched probe asks for
// it:
//
//   MPI_Recv(3, 7, comm)   ──▶ held? ──▶ sent to ourselves on a communicator of our own, matched there, received as a message
//
// Sent to ourselves, because then the handle of a matched message, and the request of a non-blocking receive, are real ones of
// the library.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <new>
#include <optional>

#include "engine/lengths.hpp"
#include "engine/network_descriptor.hpp"
#include "threads/lock.hpp"

namespace heddle::engine {

/// Where a message came from, as its status must say.
template <class Hold>
struct Origin {
  Hold comm;
  int source = 0;
  int tag = 0;
  Bytes bytes = 0;  ///< Of the message, not of its descriptor.
};

/// Library, handed in: MPI as mpi/p2p/probe_queue.hpp has it; memory in tests. Its types are Communicator, Hold (of a
/// communicator, whatever becomes of the handle), Envelope (rank, tag, comm), Message, Request and Status. Its errors have been
/// raised, and nothing is lost by them; 0: none.
template <class Library>
class ProbeQueue {
 public:
  using Communicator = typename Library::Communicator;
  using Envelope = typename Library::Envelope;
  using Hold = typename Library::Hold;
  using Message = typename Library::Message;
  using Status = typename Library::Status;

  /// Whether anything is held, or matched: what every receive asks first. One load.
  [[nodiscard]] static bool any() noexcept { return count_.load(std::memory_order_acquire) > 0; }

  /// MPI_Probe, or MPI_Iprobe.
  int probe(const Envelope& from, bool blocking, int* flag, Status& found);
  /// MPI_Mprobe, or MPI_Improbe.
  int match(const Envelope& from, bool blocking, int* flag, Message* message, Status& found);
  /// For a receive: a message that is held for it, as a matched one, or an error. Nothing: none, the library has to look.
  [[nodiscard]] std::optional<int> take(int source, int tag, const Hold& comm, Message* message);
  /// Before MPI_Mrecv, MPI_Imrecv: what a matched message of ours is; it is ours no longer. Nothing: the library's.
  [[nodiscard]] std::optional<Origin<Hold>> origin(Message message) noexcept;
  /// Lets go what the program has matched and never received, and what the library has for this.
  void close() noexcept;

 protected:
  Library library_;

 private:
  using Seen = Lengths::Seen;
  using Kind = Lengths::Kind;
  struct Item {
    Origin<Hold> origin;
    alignas(16) std::byte bytes[Lengths::longest];
    int length = 0;                                          ///< So many of them.
    Message kept = Library::no_message();                    ///< Not received, after all: no descriptor has this length.
    typename Library::Request sent = Library::no_request();  ///< To ourselves; null: the program gets it as it has come.
    Message matched = Library::no_message();                 ///< As the program knows it, until it receives it.
  };
  using Items = std::list<Item>;

  typename Items::iterator find(int source, int tag, const Hold& comm);
  /// An item that is not held yet: made before the library matches anything. Empty: no memory.
  static Items fresh_item() noexcept;
  /// Tells the program of an item that is held.
  void tell(const Item& item, Status& status) noexcept {
    library_.tell(status, item.origin.source, item.origin.tag, item.origin.bytes);
  }
  bool stayed(const Status& found, Communicator comm, const Seen& seen);
  int hold(Items& fresh, Message* message, Communicator comm, const Status& matched);
  int hold_up_to(const Status& found, Communicator comm, bool& held);
  int send_to_self(typename Items::iterator item, Message* message);
  static void add(Items& to, Items& fresh) noexcept {
    to.splice(to.end(), fresh);
    count_.fetch_add(1, std::memory_order_acq_rel);
  }

  static inline constinit std::atomic<int> count_{0};  // held and matched
  std::recursive_mutex lock_;                          // the library may call the program back
  Items held_;
  Items sent_;  // to ourselves, until the program has received it and the library has done with the bytes
};

template <class Library>
typename ProbeQueue<Library>::Items::iterator ProbeQueue<Library>::find(int source, int tag, const Hold& comm) {
  return std::ranges::find_if(held_, [&](const Item& each) {
    return each.origin.comm.same(comm) && (source == Library::any_source || each.origin.source == source) &&
           (tag == Library::any_tag || each.origin.tag == tag);
  });
}

template <class Library>
typename ProbeQueue<Library>::Items ProbeQueue<Library>::fresh_item() noexcept try {
  return Items(1);
} catch (const std::bad_alloc&) {
  return {};
}

/// Whether what was found was there for as long as it took to learn what its length means: another thread may have received it
/// meanwhile, and its length have been given to another message, or to none.
template <class Library>
bool ProbeQueue<Library>::stayed(const Status& found, Communicator comm, const Seen& seen) {
  if (!threads::concurrent.load(std::memory_order_relaxed)) return true;
  Status again;
  int there = 0;
  if (library_.probe({Library::source_of(found), Library::tag_of(found), comm}, false, &there, again) != 0 || !there)
    return false;
  const std::optional<Seen> still = library_.seen(again, comm);
  return Library::bytes_of(found) == Library::bytes_of(again) && still && still->kind == seen.kind &&
         still->total == seen.total;
}

/// The message that the library has matched may be a descriptor: receives it into the item.
template <class Library>
int ProbeQueue<Library>::hold(Items& fresh, Message* message, Communicator comm, const Status& matched) {
  Item& item = fresh.front();
  const Bytes bytes = Library::bytes_of(matched);
  item.origin = {Hold(comm), Library::source_of(matched), Library::tag_of(matched), bytes};
  if (Lengths::possible(bytes) || bytes == network_descriptor_bytes) {
    item.length = static_cast<int>(bytes);
    if (const int error = library_.receive(item.bytes, item.length, message); error != 0) return error;
    item.origin.bytes = library_.announced(item.bytes, bytes).value_or(bytes);
  } else {
    item.kept = *message;
  }
  add(held_, fresh);
  return 0;
}

/// What a probe has found, and before it all that the same rank has sent before: what is held overtakes nothing of it. Errors
/// of what the library receives for this are raised on the communicator.
template <class Library>
int ProbeQueue<Library>::hold_up_to(const Status& found, Communicator comm, bool& held) {
  for (;;) {
    Items fresh = fresh_item();
    if (fresh.empty()) return library_.no_memory(comm);
    Message message = Library::no_message();
    Status matched;
    int there = 0;
    int error = library_.match({Library::source_of(found), Library::any_tag, comm}, false, &there, &message, matched);
    if (error != 0 || !there) return error;
    error = hold(fresh, &message, comm, matched);
    if (error != 0) return error;
    held = Library::tag_of(matched) == Library::tag_of(found);
    if (held) return 0;
  }
}

template <class Library>
int ProbeQueue<Library>::probe(const Envelope& from, bool blocking, int* flag, Status& found) {
  for (;;) {
    if (any()) {
      const std::lock_guard guard(lock_);
      if (const auto item = find(from.rank, from.tag, Hold(from.comm)); item != held_.end()) {
        tell(*item, found);
        *flag = 1;
        return 0;
      }
    }
    if (const int error = library_.probe(from, blocking, flag, found); error != 0 || !*flag) return error;
    const std::optional<Seen> seen = library_.seen(found, from.comm);
    if (seen && !stayed(found, from.comm, *seen)) continue;
    if (seen && seen->kind == Kind::rendezvous) library_.set_bytes(found, seen->total);
    if (!seen || seen->kind != Kind::unclear) return 0;
    const std::lock_guard guard(lock_);
    bool held = false;
    if (const int error = hold_up_to(found, from.comm, held); error != 0) return error;
    if (!held) continue;  // another thread was faster
    tell(held_.back(), found);
    return 0;
  }
}

template <class Library>
int ProbeQueue<Library>::match(const Envelope& from, bool blocking, int* flag, Message* message, Status& found) {
  if (any()) {
    const std::lock_guard guard(lock_);
    if (const auto item = find(from.rank, from.tag, Hold(from.comm)); item != held_.end()) {
      *flag = 1;
      tell(*item, found);
      return send_to_self(item, message);
    }
  }
  if (const int error = library_.match(from, blocking, flag, message, found); error != 0 || !*flag) return error;
  if (Library::is_nobodys(*message)) return 0;
  std::optional<Seen> seen = library_.seen(found, from.comm);
  if (!seen && library_.from_another_node(found, from.comm))  // its receive is an operation, whose errors need a communicator
    seen = {.kind = Kind::plain, .total = Library::bytes_of(found)};
  if (!seen) return 0;
  const std::lock_guard guard(lock_);
  Items fresh = fresh_item();
  if (fresh.empty()) return 0;  // it can be received all the same
  if (seen->kind != Kind::unclear) {
    if (seen->kind == Kind::rendezvous) library_.set_bytes(found, seen->total);
    fresh.front().origin = {Hold(from.comm), Library::source_of(found), Library::tag_of(found), seen->total};
    fresh.front().matched = *message;
    add(sent_, fresh);
    return 0;
  }
  if (const int error = hold(fresh, message, from.comm, found); error != 0) return error;
  tell(held_.back(), found);
  return send_to_self(std::prev(held_.end()), message);
}

template <class Library>
std::optional<int> ProbeQueue<Library>::take(int source, int tag, const Hold& comm, Message* message) {
  const std::lock_guard guard(lock_);
  const auto item = find(source, tag, comm);
  if (item == held_.end()) return {};
  return send_to_self(item, message);
}

/// After an error the item is still held.
template <class Library>
int ProbeQueue<Library>::send_to_self(typename Items::iterator item, Message* message) {
  if (item->kept != Library::no_message()) {
    *message = item->matched = item->kept;
    sent_.splice(sent_.end(), held_, item);
    return 0;
  }
  std::erase_if(sent_, [&](Item& done) { return done.matched == Library::no_message() && library_.is_sent(done.sent); });
  if (const int error = library_.send_to_self(item->bytes, item->length, &item->sent); error != 0) return error;
  sent_.splice(sent_.end(), held_, item);
  const int error = library_.match_own(message);
  if (error == 0) item->matched = *message;
  return error;
}

template <class Library>
std::optional<Origin<typename Library::Hold>> ProbeQueue<Library>::origin(Message message) noexcept {
  if (!any() || message == Library::no_message()) return {};
  const std::lock_guard guard(lock_);
  const auto item = std::ranges::find(sent_, message, &Item::matched);
  if (item == sent_.end()) return {};
  count_.fetch_sub(1, std::memory_order_acq_rel);
  item->matched = Library::no_message();
  const Origin<Hold> origin = item->origin;
  if (item->sent == Library::no_request()) sent_.erase(item);
  return origin;
}

template <class Library>
void ProbeQueue<Library>::close() noexcept {
  const std::lock_guard guard(lock_);
  for (Item& item : held_) item.origin.comm = {};  // what a communicator leaves behind goes while the library is there
  for (Item& item : sent_) {
    item.origin.comm = {};
    library_.let_go(item.sent);  // its bytes stay where they are
  }
  library_.close();
}

}  // namespace heddle::engine
