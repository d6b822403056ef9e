// engine/network/wireup.hpp: knows the ranks that the fabric reaches, and the words that ranks tell
// each other about themselves. MPI brings these short messages.
//
//   sender   have_you(fabric, where) ──▶ receiver   opens its own fabric, if it has not yet, and greets the sender by it
//                ◀── have, have_not ──       the sender has answered by the fabric, or has not. have_not also comes later,
//                                            if the receiver's threads begin to probe
//            unwanted(message) ◀── receiver  its receive is too short for the message, or it lacks memory
//                ◀── lost(message) ──        the fabric has not brought the message: the host must bring it
//                gone(message) ──▶           the sender took the message for delivered, and no longer has it: an error
//              ◀── knows(context) ──         of the communicator of a message (contexts.hpp)
//            plain ──▶                       the program sends messages as long as a descriptor: no more announcements
//              ◀── scatters(block) ──        a message came in one piece by the host: the next may be announced
//
//   Wireup wireup(fabric, messenger);
//   if (wireup.reaches(world)) ...                        // asks it, the first time
//   if (!wireup.take(word, from)) ...                     // a word about a message: for the message's owner
//   wireup.look_at_greetings();                           // now and then
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/network/shared_fabric.hpp"
#include "layout/bytes.hpp"

namespace heddle::engine {

/// A word from one rank to another.
struct Word {
  enum Kind : std::uint32_t { have_you, have, have_not, unwanted, lost, gone, scatters, plain, knows };
  Kind kind = unwanted;
  /// have_you, have, have_not: the fabric's mark (SharedFabric::mark). unwanted, lost, gone: the
  /// sender's number of the message. scatters: average bytes of a block. knows: the context.
  std::uint32_t number = 0;
  transport::fabric::Whereabouts where{};  ///< have_you: the address of the rank that asks.
};

/// Safe for several threads.
class Wireup {
 public:
  /// Brings words to other ranks.
  class Messenger {
   public:
    /// Throws std::bad_alloc.
    virtual void tell(int rank, const Word& word) = 0;
    /// That rank has asked, but the fabric does not reach it.
    virtual void complain_of(int rank) = 0;

   protected:
    ~Messenger() = default;
  };

  Wireup(SharedFabric& fabric, Messenger& messenger) noexcept : fabric_(fabric), messenger_(messenger) {}

  /// True: messages get to that rank by the fabric, which is open. The first call asks the rank,
  /// and returns false.
  bool reaches(int rank) noexcept;
  /// The fabric has lost a message to that rank. Asks the rank again, a few times at most.
  void doubt(int rank) noexcept;
  /// Tells the other ranks to announce nothing to this process from here on.
  void want_none() noexcept;

  /// The program is about to send a message as long as a descriptor. This process tells the ranks
  /// that might wait for a descriptor, and announces nothing any more.
  void send_plainly() noexcept {
    if (!sends_plainly_.load(std::memory_order_relaxed)) [[unlikely]]
      tell_of_plain();
  }
  /// True: that rank may announce messages to this process, and sends nothing else in the length of
  /// a descriptor.
  [[nodiscard]] bool announces(int rank) noexcept;

  /// A message that came from that rank in one piece has been scattered into blocks of so many
  /// bytes. Tells the rank once.
  void scatter_hint(int rank, layout::Bytes block) noexcept;
  /// Bytes of the blocks into which a rank says that it scatters messages. 0: the rank has said
  /// nothing.
  [[nodiscard]] layout::Bytes scattered_by(int rank) noexcept;
  /// Messages in one piece may go by the fabric, too, because a receiver scatters them or the user
  /// wishes it.
  [[nodiscard]] bool moves_pieces() const noexcept { return moves_pieces_.load(std::memory_order_relaxed); }
  void move_pieces() noexcept { moves_pieces_.store(true, std::memory_order_relaxed); }

  /// Takes a word of a rank. Before a have_you the caller opens the fabric, if there is one. False:
  /// the word is about a message. Throws std::bad_alloc.
  bool take(const Word& word, int from);
  /// Answers the ranks that have asked, as soon as the answer is known.
  void look_at_greetings() noexcept;
  /// True: a rank that has asked has no answer yet.
  [[nodiscard]] bool greets() noexcept;

  /// Held while words are told; it also guards the words that the messenger keeps. It is recursive,
  /// because an MPI call may come back here.
  [[nodiscard]] std::recursive_mutex& lock() noexcept { return lock_; }

 private:
  /// A rank to which messages may be announced.
  struct Peer {
    bool reached = false;
    bool asked = false;       // and has not answered yet
    int times = 0;            // questions so far
    layout::Bytes block = 0;  // bytes of a block that it scatters into
  };
  /// A rank that has asked. The greeting tries whether the two ranks reach each other.
  struct Greeting {
    int rank = -1;
    transport::fabric::Whereabouts where{};
    std::uint32_t peer = 0;
    std::int64_t since = 0;
    int times = 1;
  };

  void ask(int rank, Peer& peer);
  void tell_of_plain() noexcept;
  void answered(int rank, bool reached);
  void greet(const Word& word, int from);
  std::optional<bool> welcomed(Greeting& greeting);

  SharedFabric& fabric_;
  Messenger& messenger_;
  std::recursive_mutex lock_;
  std::unordered_map<int, Peer> peers_;
  std::vector<Greeting> greetings_;
  std::vector<int> askers_;  // ranks that have asked
  std::unordered_set<int> hinted_;
  std::atomic<bool> moves_pieces_{false};
  std::atomic<bool> wants_none_{false};
  std::unordered_set<int> announcing_;  // ranks that have been told that they reach us
  std::unordered_set<int> plain_;       // ranks that send messages as long as a descriptor
  std::atomic<bool> sends_plainly_{false};
};

}  // namespace heddle::engine
