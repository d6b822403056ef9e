// engine/p2p/probe_queue.hpp: answers probes that find a descriptor. The program must learn the
// size of the message, not of the descriptor. The length of the descriptor stands for that size
// (engine/node/lengths.hpp). So a probe receives nothing, and a matched probe gives out the message
// that the library has matched. A template parameter supplies MPI.
//
//   MPI_Iprobe(3, 7, comm) ──▶ 224 bytes from 3? ──▶ what do 224 bytes from 3 mean? ──▶ status: 3, 7, 1 MiB
//
// If a length may mean a descriptor or data (unclear), the probe has to receive the message. The
// queue holds it until a receive or a matched probe asks for it:
//
//   MPI_Recv(3, 7, comm)   ──▶ held? ──▶ sent to ourselves on a communicator of our own, matched there, received as a message
//
// The queue sends it to ourselves, because then the handle of a matched message, and the request of
// a non-blocking receive, are real handles of the library.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <new>
#include <optional>

#include "engine/network/network_descriptor.hpp"
#include "engine/node/lengths.hpp"
#include "threads/lock.hpp"

namespace heddle::engine {

/// The source, tag and size of a message, as its status must say.
template <class Hold>
struct Origin {
  Hold comm;
  int source = 0;
  int tag = 0;
  Bytes bytes = 0;  ///< Size of the message, not of its descriptor.
};

/// Library is MPI (mpi/p2p/host_probe.hpp), or memory in the tests, which need it. Its types
/// are Communicator, Hold, Envelope, Message, Request and Status. A Hold keeps a communicator, even
/// if the program frees the handle. An Envelope has rank, tag and comm. Library raises an error
/// before it returns the code, and no message is lost by an error. 0: no error.
template <class Library>
class ProbeQueue {
 public:
  using Communicator = typename Library::Communicator;
  using Envelope = typename Library::Envelope;
  using Hold = typename Library::Hold;
  using Message = typename Library::Message;
  using Status = typename Library::Status;

  /// True: a message is held, or matched. Every receive asks this first. It is one load.
  [[nodiscard]] static bool any() noexcept { return count_.load(std::memory_order_acquire) > 0; }

  /// MPI_Probe, or MPI_Iprobe.
  int probe(const Envelope& from, bool blocking, int* flag, Status& found);
  /// MPI_Mprobe, or MPI_Improbe.
  int match(const Envelope& from, bool blocking, int* flag, Message* message, Status& found);
  /// For a receive: gives out a held message as a matched message. Returns 0 or an error. Nothing:
  /// no message is held, so the library has to look.
  [[nodiscard]] std::optional<int> take(int source, int tag, const Hold& comm, Message* message);
  /// Before MPI_Mrecv and MPI_Imrecv: the origin of a matched message of the queue, which then
  /// forgets the message. Nothing: the message is the library's.
  [[nodiscard]] std::optional<Origin<Hold>> origin(Message message) noexcept;
  /// Lets go of messages that the program has matched and never received, and of the library's
  /// means for this queue.
  void close() noexcept;

 protected:
  Library library_;

 private:
  using ProbedLength = Lengths::ProbedLength;
  using Kind = Lengths::Kind;
  struct Item {
    Origin<Hold> origin;
    alignas(16) std::byte bytes[Lengths::longest];
    int length = 0;                                          ///< Bytes used.
    Message kept = Library::no_message();                    ///< Matched, but not received: no descriptor has this length.
    typename Library::Request sent = Library::no_request();  ///< To ourselves; null: the program gets it as it came.
    Message matched = Library::no_message();                 ///< The program's handle, until it receives the message.
  };
  using Items = std::list<Item>;

  typename Items::iterator find(int source, int tag, const Hold& comm);
  /// An item that is not held yet: made before the library matches anything. Empty: no memory.
  static Items fresh_item() noexcept;
  /// Tells the program of an item that is held.
  void tell(const Item& item, Status& status) noexcept {
    library_.tell(status, item.origin.source, item.origin.tag, item.origin.bytes);
  }
  bool stayed(const Status& found, Communicator comm, const ProbedLength& seen);
  int hold(Items& fresh, Message* message, Communicator comm, const Status& matched);
  int hold_up_to(const Status& found, Communicator comm, bool& held);
  int send_to_self(typename Items::iterator item, Message* message);
  static void add(Items& to, Items& fresh) noexcept {
    to.splice(to.end(), fresh);
    count_.fetch_add(1, std::memory_order_acq_rel);
  }

  static constinit std::atomic<int> count_;  // held and matched
  std::recursive_mutex lock_;                // the library may call the program back
  Items held_;
  Items sent_;  // to ourselves: until the program has received a message, and the library needs its bytes no more
};

template <class Library>
constinit std::atomic<int> ProbeQueue<Library>::count_{0};

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

/// True: the found message was still there after its length was looked up. Otherwise another thread
/// may have received it, and the length may mean another message, or none.
template <class Library>
bool ProbeQueue<Library>::stayed(const Status& found, Communicator comm, const ProbedLength& seen) {
  if (!threads::concurrent.load(std::memory_order_relaxed)) return true;
  Status again;
  int there = 0;
  if (library_.probe({Library::source_of(found), Library::tag_of(found), comm}, false, &there, again) != 0 || !there)
    return false;
  const std::optional<ProbedLength> still = library_.probed_length(again, comm);
  return Library::bytes_of(found) == Library::bytes_of(again) && still && still->kind == seen.kind &&
         still->total == seen.total;
}

/// Receives the matched message into the item, if it may be a descriptor.
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

/// Holds the message that a probe has found, and first all messages that the same rank has sent
/// before it, so that a held message overtakes none. Errors of the receives are raised on the
/// communicator.
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
    const std::optional<ProbedLength> seen = library_.probed_length(found, from.comm);
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
  std::optional<ProbedLength> seen = library_.probed_length(found, from.comm);
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

/// If the send fails, the item is still held.
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
  for (Item& item : held_) item.origin.comm = {};  // lets go of the communicator while the library is there
  for (Item& item : sent_) {
    item.origin.comm = {};
    library_.let_go(item.sent);  // its bytes stay where they are
  }
  library_.close();
}

}  // namespace heddle::engine
