// mpi/network/network.hpp: the ranks on other nodes, and the fabric by which messages with holes go to them (docs/fabric.md).
// Includes communicators/, engine/, process/, transport/fabric/.
//
//   if (Network* network = Network::here())                     // null: all ranks share this node, or HEDDLE_FABRIC=off
//     if (const int world = network->elsewhere(comm, dest); world >= 0) ...
//   network->add(operation);
//   while (!operation->over()) network->advance();
//
// The fabric is opened when the first message needs it. It is moved on by every call that waits for one of its messages, and by
// a thread, which naps as long as somebody else does it: so a message goes on while its rank is in a call of the host's, or in
// none. The thread calls no MPI. What needs MPI (descriptors, messages that the fabric has failed to bring) is an operation's,
// and is done in calls that wait for operations.
//
// Nothing is announced to a rank that has not said that it has the same fabric, and that messages get there and back by it: the
// first message asks it, and goes packed.
// What the fabric cannot bring after all comes packed by the host, on a communicator of Heddle's own, with a tag that says
// which message it is (tag_of).
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/contacts.hpp"
#include "engine/network_descriptor.hpp"
#include "engine/shared_fabric.hpp"
#include "mpi/communicators/known.hpp"
#include "select/fabric.hpp"
#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "transport/fabric/fabric.hpp"

namespace heddle::mpi {

using layout::Bytes;

class Network final : engine::Contacts::Voice {
 public:
  /// What ranks tell each other on comm().
  using Word = engine::Word;

  /// A message that is under way between nodes, at one of its ends.
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
    /// What rank `from` of MPI_COMM_WORLD says of a message. False: this is not the one, or it is over already.
    virtual bool hears(const Word& word, int from) noexcept = 0;
    /// Its peer takes part by now, or the host brings it: it has an end, whatever the program does.
    [[nodiscard]] virtual bool will_end() const noexcept = 0;
    /// The program has cancelled it.
    virtual void cancel() noexcept = 0;
    /// Corrects the program's status, and returns MPI's error code: to be raised, if it is none. When over().
    virtual int finish(MPI_Status& status) noexcept = 0;
    /// For the program.
    [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_acquire); }
    /// By which its errors are raised.
    [[nodiscard]] virtual const communicators::Hold& communicator() const noexcept = 0;

   protected:
    void set_over() noexcept { over_.store(true, std::memory_order_release); }

   private:
    std::atomic<bool> over_{false};
  };

  /// While it lives, this thread may use the fabric.
  class Access : public engine::SharedFabric::Access {
   public:
    explicit Access(Network& network) : engine::SharedFabric::Access(network.fabric_) {}
  };

  /// Whether anything but the MPI library may carry messages between nodes: by an adapter of this host's, a provider that
  /// HEDDLE_FABRIC names, or sockets that heddle tune has found to pay. Else none is waited for: that costs what goes packed.
  static bool may_gain(const settings::Settings& set) noexcept;
  /// Why not, with HEDDLE_FABRIC=auto.
  static constexpr const char* no_adapter = "this host has no network adapter but for sockets (HEDDLE_FABRIC=tcp takes these)";
  static Network* here() noexcept { return here_.load(std::memory_order_acquire); }
  /// Collective over MPI_COMM_WORLD, in MPI_Init, where all ranks wish it.
  static void start() noexcept;
  /// Likewise before MPI_Finalize, when the program has completed its requests.
  static void stop() noexcept;

  /// The rank in MPI_COMM_WORLD of rank `rank` of `comm`, if it is on another node; else -1.
  [[nodiscard]] int elsewhere(MPI_Comm comm, int rank) const;
  /// Messages with holes of so many bytes and more go by the fabric.
  [[nodiscard]] Bytes threshold() const noexcept { return threshold_; }
  [[nodiscard]] const engine::Nonce& nonce() const noexcept { return nonce_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// There are more of them than cores.
  [[nodiscard]] bool crowded() const noexcept { return crowded_; }
  /// Of this process, in MPI_COMM_WORLD.
  [[nodiscard]] int me() const noexcept { return me_; }
  /// Heddle's own communicator, of all ranks.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// By which the packed bytes of a message come on comm().
  [[nodiscard]] int tag_of(std::uint32_t number) const noexcept {
    return 1 + static_cast<int>(number % static_cast<std::uint32_t>(most_tag_));
  }

  /// Whether messages get to that rank of MPI_COMM_WORLD by the fabric. Asks it, if nobody has: then not yet.
  bool reaches(int world) noexcept;
  /// The fabric has lost a message to that rank: it is asked again, a few times.
  void doubt(int world) noexcept { contacts_.doubt(world); }

  /// Messages in one piece may go by the fabric, too: somebody scatters them, or HEDDLE_SCHEME names a scheme.
  [[nodiscard]] bool moves_pieces() const noexcept { return contacts_.moves_pieces(); }
  /// What came from that rank in one piece has been scattered, into blocks of so many bytes: it is told so, once.
  void scatter_hint(int world, Bytes block) noexcept;
  /// Of what that rank of MPI_COMM_WORLD receives: bytes of a block, as it has said; 0: it has not.
  [[nodiscard]] Bytes scattered_by(int world) noexcept { return contacts_.scattered_by(world); }

  /// Opens the fabric, if nobody has yet. False: there is none, as has been said.
  bool open() noexcept;
  [[nodiscard]] const select::Network& costs() const noexcept { return costs_; }
  /// Memory that is registered for one message stays so for the next.
  [[nodiscard]] bool keeps_registrations() const noexcept { return keeps_registrations_; }
  [[nodiscard]] const select::Profile& profile() const noexcept { return profile_.profile; }
  /// A message of the fabric's begins or has ended: as long as there are any, the thread looks after them.
  void begins() noexcept { fabric_.begins(); }
  void ends() noexcept { fabric_.ends(); }

  /// From here on it is carried on. False: no memory.
  bool add(const std::shared_ptr<Operation>& operation) noexcept;
  /// One that could not be begun after all.
  void remove(const Operation& operation) noexcept;
  /// Moves everything on. Never waits.
  void advance() noexcept;
  /// The fabric and one operation.
  void advance(Operation& one) noexcept;
  /// Returns when it is over.
  void wait(const Operation& operation) noexcept;
  /// The program has cancelled it.
  void cancel(Operation& operation) noexcept;
  /// This process probes. If several threads may, it wants no descriptors from here on: a probe receives them, and what it
  /// keeps could overtake what another thread receives meanwhile.
  void set_probes() noexcept;
  /// A message that its operation does not need any more: it is driven to its end. In carry_on() or hears().
  void part(std::unique_ptr<transport::fabric::Message> message) { fabric_.part(std::move(message)); }
  /// Says a word of that message to its sender.
  void tell_sender(const engine::NetworkDescriptor& descriptor, Word::Kind what) noexcept;

 private:
  struct Sent {
    Word word;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Heard {
    Word word;
    int from;
  };

  explicit Network(MPI_Comm comm) : comm_(comm) {}
  bool prepare() noexcept;
  std::unique_ptr<transport::fabric::Fabric> opened();
  bool busy() noexcept;
  /// Something that this rank has told others is not heard yet.
  bool talks() noexcept;
  void tell(int world, const Word& word) override;
  void complain_of(int world) override;
  void listen() noexcept;
  void hear() noexcept;
  void hand_on() noexcept;
  class Turn;
  Turn turn() noexcept;
  static void within_host() noexcept;
  void discard() noexcept;
  void meet() noexcept;
  void close() noexcept;

  static inline std::atomic<Network*> here_{nullptr};

  MPI_Comm comm_;
  int me_ = 0;
  int ranks_ = 0;
  int most_tag_ = 32766;
  bool crowded_ = false;
  engine::Nonce nonce_{};
  Bytes threshold_ = 0;
  select::Loaded profile_;
  select::Network costs_;
  bool keeps_registrations_ = true;

  engine::SharedFabric fabric_;
  engine::Contacts contacts_{fabric_, *this};

  std::mutex operations_lock_;
  std::atomic<bool> at_operations_{false};    // somebody, who may call the host
  std::atomic<std::int64_t> within_host_{0};  // when the host last let us look at operations
  std::vector<std::shared_ptr<Operation>> operations_;
  std::size_t next_ = 0;    // to be looked at
  std::int64_t heard_ = 0;  // when contacts were last looked for

  // With the contacts' lock:
  std::list<Sent> words_;
  std::vector<Heard> of_messages_;  // to be handed on to operations

  bool all_received_ = false;  // of the program, on all ranks
};

/// As reports have it. A literal.
constexpr const char* name_of(transport::fabric::Scheme scheme) noexcept {
  using transport::fabric::Scheme;
  switch (scheme) {
    case Scheme::bc_spup:
      return "fabric bc-spup";
    case Scheme::rwg_up:
      return "fabric rwg-up";
    case Scheme::p_rrs:
      return "fabric p-rrs";
    case Scheme::multi_w:
      return "fabric multi-w";
  }
  return "fabric";
}

/// Whether a receive may bring a descriptor from another node.
inline bool begins_like_network_descriptor(const void* first) noexcept {
  const Network* network = Network::here();
  return network && engine::is_descriptor(first, network->nonce());
}

}  // namespace heddle::mpi
