// engine/network/network.hpp: moves on the messages between nodes that are under way
// (docs/fabric.md). A derived class supplies MPI, which also brings words to other ranks.
//
//   class OverMpi final : public Network { ... };              // mpi/network; memory in tests
//   network.add(operation);
//   while (!operation->over()) network.advance();
//
// The fabric is opened when the first message needs it. Every call that waits for one of its
// messages moves it on. So does a thread, which naps as long as other threads do it. So a message
// goes on while its rank is in a call of the host's, or in no call. The thread calls no MPI.
// Operations do the work that needs MPI (descriptors, messages that the fabric has failed to
// bring), in calls that wait for operations.
//
// Messages are announced only to a rank that has confirmed two facts: it has the same fabric, and
// messages get there and back. The first message to a rank asks that rank, and goes packed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/network/contexts.hpp"
#include "engine/network/network_descriptor.hpp"
#include "engine/network/shared_fabric.hpp"
#include "engine/network/wireup.hpp"
#include "select/choose_fabric.hpp"

namespace heddle::engine {

using layout::Bytes;

class Network : protected Wireup::Messenger {
 public:
  using Word = engine::Word;

  /// A message that is under way, at one of its ends.
  class Operation {
   public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// Does all that can be done now. One thread at a time calls it. True: nothing is left to do,
    /// for the program or for the peer.
    virtual bool carry_on() noexcept = 0;
    /// Called when a call of the host's waits for anything. Does only work that other ranks may
    /// wait for. Tests no request of the host's.
    virtual void carry_on_within_host() noexcept {}
    /// Takes a word of that rank about a message. False: the word is about another message, or this
    /// one is over already.
    virtual bool hears(const Word& word, int from) noexcept = 0;
    /// True: this operation is the receive of message `number` of rank `from`.
    [[nodiscard]] virtual bool awaits(std::uint32_t /*number*/, int /*from*/) const noexcept { return false; }
    /// True: a descriptor at that place would lie where this operation still awaits one.
    [[nodiscard]] virtual bool shares(const std::byte* /*descriptor*/) const noexcept { return false; }
    /// True: the message will end, whatever the program does. Its peer takes part by now, or the
    /// host brings it.
    [[nodiscard]] virtual bool will_end() const noexcept = 0;
    /// True: a send. Its peer may still need this rank when the program has completed the send.
    [[nodiscard]] virtual bool is_send() const noexcept { return false; }
    /// The program has cancelled this receive.
    virtual void cancel() noexcept {}
    /// True: the message is over for the program.
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

  /// Messages with holes of at least so many bytes go by the fabric.
  [[nodiscard]] Bytes threshold() const noexcept { return threshold_; }
  [[nodiscard]] const Nonce& nonce() const noexcept { return nonce_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// True: more ranks than cores.
  [[nodiscard]] bool crowded() const noexcept { return crowded_; }
  /// The rank of this process.
  [[nodiscard]] int me() const noexcept { return me_; }

  /// True: messages get to that rank by the fabric. The first call asks the rank, and returns
  /// false.
  bool reaches(int rank) noexcept;
  /// The fabric has lost a message to that rank. Asks the rank again, a few times at most.
  void doubt(int rank) noexcept { wireup_.doubt(rank); }

  /// Messages in one piece may go by the fabric, too, because a receiver scatters them or
  /// HEDDLE_SCHEME names a scheme.
  [[nodiscard]] bool moves_pieces() const noexcept { return wireup_.moves_pieces(); }
  /// A message that came from that rank in one piece has been scattered into blocks of so many
  /// bytes. Tells the rank once.
  void scatter_hint(int rank, Bytes block) noexcept;
  /// Bytes of the blocks into which a rank says that it scatters messages. 0: the rank has said
  /// nothing.
  [[nodiscard]] Bytes scattered_by(int rank) noexcept { return wireup_.scattered_by(rank); }

  /// Opens the fabric, if it is not open yet. False: there is none. The first call has reported
  /// why.
  bool open() noexcept;
  /// The program is at its end. A fabric that is not open yet is not opened any more, and ranks
  /// that ask for it are told so.
  void open_no_more() noexcept { opens_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] const select::Network& costs() const noexcept { return costs_; }
  /// True: memory that is registered for one message stays registered for the next.
  [[nodiscard]] bool keeps_registrations() const noexcept { return keeps_registrations_; }
  [[nodiscard]] const select::Profile& profile() const noexcept { return profile_; }
  /// A message of the fabric's begins, or has ended. As long as there are messages, the thread
  /// looks after them.
  void begins() noexcept { fabric_.begins(); }
  void ends() noexcept { fabric_.ends(); }

  /// Carries the operation on from here on. False: no memory.
  bool add(const std::shared_ptr<Operation>& operation) noexcept;
  /// Removes an operation that could not be begun after all.
  void remove(const Operation& operation) noexcept;
  /// Moves everything on. Never waits.
  void advance() noexcept;
  /// Moves on the operations that are over for the program until none is left, but 1000 times at
  /// most. The host may still have their descriptors.
  void finish_over() noexcept;
  /// Moves on the fabric and one operation.
  void advance(Operation& one) noexcept;
  /// Returns when the operation is over.
  void wait(const Operation& operation) noexcept;
  /// The program has cancelled the operation.
  void cancel(Operation& operation) noexcept;
  /// This process probes. With several threads it wants no descriptors from here on: a probe
  /// receives them, and a kept message could overtake a message that another thread receives.
  void set_probes() noexcept;
  /// The program is about to send so many bytes itself. If receivers could take them for a lost
  /// descriptor, this process tells them first, and announces nothing from then on.
  void sends_plainly(Bytes bytes) noexcept {
    if (bytes == network_descriptor_bytes) wireup_.send_plainly();
  }
  /// True: a message of that rank with the length of a descriptor is a descriptor.
  [[nodiscard]] bool announces(int rank) noexcept { return wireup_.announces(rank); }
  /// The program writes over descriptors that have arrived. This process asks its peers for no more
  /// of them.
  void note_overlap() noexcept { wireup_.want_none(); }
  /// The communicators of messages.
  [[nodiscard]] Contexts& contexts() noexcept { return contexts_; }
  /// A descriptor has arrived on this process's communicator number `own`. Its sender is told, if
  /// it asks.
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
  /// Takes a message that its operation does not need any more, and drives it to its end. Only in
  /// carry_on() or hears().
  void part(std::unique_ptr<transport::fabric::Message> message) { fabric_.part(std::move(message)); }
  /// Tells the sender of that message a word about it.
  void tell_sender(const NetworkDescriptor& descriptor, Word::Kind what) noexcept;
  /// Bytes of the message whose descriptor has arrived in a message of `length` bytes. None: it is
  /// no descriptor.
  [[nodiscard]] std::optional<Bytes> announced(const void* arrived, Bytes length) const noexcept;
  /// For bytes that have arrived in a receive of `room` bytes, which is too short for any message
  /// of the fabric's. If they are a descriptor, tells its sender that the message has no receiver,
  /// removes the descriptor, and returns true.
  bool turns_away(void* arrived, Bytes room) noexcept;

 protected:
  Network() = default;
  ~Network() = default;

  // The derived class does the following by MPI, in addition to the work of a Messenger.

  /// Null: there is no fabric. May throw.
  virtual std::unique_ptr<transport::fabric::Fabric> make_fabric() = 0;
  /// make_fabric() has thrown.
  virtual void has_no_fabric(const char* why) noexcept = 0;
  /// Calls heard() with each word that has come.
  virtual void hear() noexcept = 0;

  /// Throws std::bad_alloc.
  void heard(const Word& word, int from);
  /// Called by the host's progress engine, in any call that waits.
  void within_host() noexcept;
  /// True: an operation or a greeting is under way that will end.
  bool busy() noexcept;
  /// True: a message to a peer that takes part, or by the host, is not over yet.
  bool sends() noexcept;
  /// Closes the fabric. No rank needs another one any more.
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
  Wireup wireup_{fabric_, *this};
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
  std::atomic<bool> at_operations_{false};    // a thread has them, and may call the host
  std::atomic<std::int64_t> within_host_{0};  // when the host last let us look at operations
  std::vector<std::shared_ptr<Operation>> operations_;
  std::size_t next_ = 0;  // operation that is looked at next
  std::atomic<std::uint64_t> order_{0};
  std::int64_t heard_ = 0;          // time of the last look for words
  std::vector<Heard> of_messages_;  // words for operations; the wireup's lock guards them
};

/// The name in reports. A literal.
const char* name_of(transport::fabric::FabricScheme scheme) noexcept;

}  // namespace heddle::engine
