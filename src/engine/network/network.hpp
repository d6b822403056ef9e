// engine/network/network.hpp: messages between nodes that are under way, and what moves them on (docs/fabric.md). MPI is handed
// in: whoever brings words to other ranks. May include: contacts.hpp, contexts.hpp, network_descriptor.hpp, shared_fabric.hpp,
// select/, threads/.
//
//   class OverMpi final : public Network { ... };              // mpi/network; memory in tests
//   network.add(operation);
//   while (!operation->over()) network.advance();
//
// The fabric is opened when the first message needs it. It is moved on by every call that waits for one of its messages, and by
// a thread, which naps as long as somebody else does it: so a message goes on while its rank is in a call of the host's, or in
// none. The thread calls no MPI. What needs MPI (descriptors, messages that the fabric has failed to bring) is an operation's,
// and is done in calls that wait for operations.
//
// Nothing is announced to a rank that has not said that it has the same fabric, and that messages get there and back by it: the
// first message asks it, and goes packed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/contacts.hpp"
#include "engine/network/contexts.hpp"
#include "engine/network_descriptor.hpp"
#include "engine/shared_fabric.hpp"
#include "select/fabric.hpp"

namespace heddle::engine {

using layout::Bytes;

class Network : protected Contacts::Voice {
 public:
  using Word = engine::Word;

  /// A message that is under way, at one of its ends.
  class Operation {
   public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// What can be done now; by one thread at a time. True: nothing is left to do, for the program or for the peer.
    virtual bool carry_on() noexcept = 0;
    /// In a call of the host's that waits, for whatever: only what others may wait for. Tests nothing of the host's.
    virtual void carry_on_within_host() noexcept {}
    /// What that rank says of a message. False: this is not the one, or it is over already.
    virtual bool hears(const Word& word, int from) noexcept = 0;
    /// True: this operation is the receive of message `number` of rank `from`.
    [[nodiscard]] virtual bool awaits(std::uint32_t /*number*/, int /*from*/) const noexcept { return false; }
    /// True: a descriptor at that place would lie where this operation still awaits one.
    [[nodiscard]] virtual bool shares(const std::byte* /*descriptor*/) const noexcept { return false; }
    /// Its peer takes part by now, or the host brings it: it has an end, whatever the program does.
    [[nodiscard]] virtual bool will_end() const noexcept = 0;
    /// The program has cancelled it: a receive.
    virtual void cancel() noexcept {}
    /// For the program.
    [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_acquire); }

   protected:
    void set_over() noexcept { over_.store(true, std::memory_order_release); }

   private:
    std::atomic<bool> over_{false};
  };

  /// While it lives, this thread may use the fabric.
  class Access : public SharedFabric::Access {
   public:
    explicit Access(Network& network) : SharedFabric::Access(network.fabric_) {}
  };

  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Messages with holes of so many bytes and more go by the fabric.
  [[nodiscard]] Bytes threshold() const noexcept { return threshold_; }
  [[nodiscard]] const Nonce& nonce() const noexcept { return nonce_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// There are more of them than cores.
  [[nodiscard]] bool crowded() const noexcept { return crowded_; }
  /// The rank of this process.
  [[nodiscard]] int me() const noexcept { return me_; }

  /// Whether messages get to that rank by the fabric. Asks it, if nobody has: then not yet.
  bool reaches(int rank) noexcept;
  /// The fabric has lost a message to that rank: it is asked again, a few times.
  void doubt(int rank) noexcept { contacts_.doubt(rank); }

  /// Messages in one piece may go by the fabric, too: somebody scatters them, or HEDDLE_SCHEME names a scheme.
  [[nodiscard]] bool moves_pieces() const noexcept { return contacts_.moves_pieces(); }
  /// What came from that rank in one piece has been scattered, into blocks of so many bytes: it is told so, once.
  void scatter_hint(int rank, Bytes block) noexcept;
  /// Of what that rank receives: bytes of a block, as it has said; 0: it has not.
  [[nodiscard]] Bytes scattered_by(int rank) noexcept { return contacts_.scattered_by(rank); }

  /// Opens the fabric, if nobody has yet. False: there is none, as has been said.
  bool open() noexcept;
  /// The program is at its end: a fabric that is not open yet is not opened any more, and whoever asks for it is told so.
  void open_no_more() noexcept { opens_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] const select::Network& costs() const noexcept { return costs_; }
  /// Memory that is registered for one message stays so for the next.
  [[nodiscard]] bool keeps_registrations() const noexcept { return keeps_registrations_; }
  [[nodiscard]] const select::Profile& profile() const noexcept { return profile_; }
  /// A message of the fabric's begins or has ended: as long as there are any, the thread looks after them.
  void begins() noexcept { fabric_.begins(); }
  void ends() noexcept { fabric_.ends(); }

  /// From here on it is carried on. False: no memory.
  bool add(const std::shared_ptr<Operation>& operation) noexcept;
  /// One that could not be begun after all.
  void remove(const Operation& operation) noexcept;
  /// Moves everything on. Never waits.
  void advance() noexcept;
  /// Moves on until no operation is left that is over for the program, or 1000 times: the host may still have its descriptor.
  void finish_over() noexcept;
  /// The fabric and one operation.
  void advance(Operation& one) noexcept;
  /// Returns when it is over.
  void wait(const Operation& operation) noexcept;
  /// The program has cancelled it.
  void cancel(Operation& operation) noexcept;
  /// This process probes. If several threads may, it wants no descriptors from here on: a probe receives them, and what it
  /// keeps could overtake what another thread receives meanwhile.
  void set_probes() noexcept;
  /// The program is about to send so many bytes itself. If receivers could take them for a lost descriptor, this process tells
  /// them first, and announces nothing from then on.
  void sends_plainly(Bytes bytes) noexcept {
    if (bytes == network_descriptor_bytes) contacts_.send_plainly();
  }
  /// True: a message of that rank with the length of a descriptor is a descriptor.
  [[nodiscard]] bool announces(int rank) noexcept { return contacts_.announces(rank); }
  /// The program writes over descriptors that have arrived. This process asks its peers for no more of them.
  void note_overlap() noexcept { contacts_.want_none(); }
  /// The communicators of messages.
  [[nodiscard]] Contexts& contexts() noexcept { return contexts_; }
  /// A descriptor has arrived on this process's communicator number `own`. Its sender is told, if it asks.
  void learn_context(const NetworkDescriptor& descriptor, std::uint32_t own) noexcept;
  /// Of a message that is sent, or a receive that is posted: higher than all before.
  [[nodiscard]] std::uint64_t next_order() noexcept { return order_.fetch_add(1, std::memory_order_relaxed); }
  /// True: an operation is the receive of that message. For carry_on() only.
  [[nodiscard]] bool awaited(std::uint32_t number, int from) const noexcept;
  /// Visits every operation. For carry_on() only.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& each : operations_) visit(*each);
  }
  /// A message that its operation does not need any more: it is driven to its end. In carry_on() or hears().
  void part(std::unique_ptr<transport::fabric::Message> message) { fabric_.part(std::move(message)); }
  /// Says a word of that message to its sender.
  void tell_sender(const NetworkDescriptor& descriptor, Word::Kind what) noexcept;
  /// Bytes of the message whose descriptor has arrived in a message of `length` bytes. None: it is no descriptor.
  [[nodiscard]] std::optional<Bytes> announced(const void* arrived, Bytes length) const noexcept;
  /// What has arrived, in a receive with room for `room` bytes, which is too short for any message of the fabric's, is the
  /// descriptor of one: its sender is told that nobody gets it, and it is not to be found there again.
  bool turns_away(void* arrived, Bytes room) noexcept;

 protected:
  Network() = default;
  ~Network() = default;

  // What only MPI can do, beside what a Voice does.

  /// Null: there is none. Throws.
  virtual std::unique_ptr<transport::fabric::Fabric> make_fabric() = 0;
  /// Making it has thrown.
  virtual void has_no_fabric(const char* why) noexcept = 0;
  /// Calls heard() with each word that has come.
  virtual void hear() noexcept = 0;

  /// Throws std::bad_alloc.
  void heard(const Word& word, int from);
  /// Of the host's engine, in whatever call it waits.
  void within_host() noexcept;
  /// Something is under way that has an end.
  bool busy() noexcept;
  /// Nobody needs anybody any more.
  void close() noexcept;

  int me_ = 0;
  int ranks_ = 0;
  bool crowded_ = false;
  Nonce nonce_{};
  Bytes threshold_ = 0;
  select::Profile profile_;
  select::Network costs_;
  bool keeps_registrations_ = true;

  SharedFabric fabric_;
  std::atomic<bool> opens_{true};
  Contacts contacts_{fabric_, *this};
  Contexts contexts_;

 private:
  struct Heard {
    Word word;
    int from;
  };

  class Turn;
  Turn turn() noexcept;
  void listen() noexcept;
  void hand_on() noexcept;

  std::mutex operations_lock_;
  std::atomic<bool> at_operations_{false};    // somebody, who may call the host
  std::atomic<std::int64_t> within_host_{0};  // when the host last let us look at operations
  std::vector<std::shared_ptr<Operation>> operations_;
  std::size_t next_ = 0;  // to be looked at
  std::atomic<std::uint64_t> order_{0};
  std::int64_t heard_ = 0;          // when contacts were last looked for
  std::vector<Heard> of_messages_;  // to be handed on to operations; with the contacts' lock
};

/// As reports have it. A literal.
const char* name_of(transport::fabric::Scheme scheme) noexcept;

}  // namespace heddle::engine
