// engine/contacts.hpp: which ranks the fabric reaches, and what they have said of themselves. Ranks tell each other by short
// messages, which somebody else brings (MPI). May include: shared_fabric.hpp, layout/bytes.hpp.
//
//   sender   have_you(fabric, where) ──▶ receiver   opens its own, if it has not yet, and says hello by it
//                ◀── have, have_not ──       the sender has answered by the fabric; or has not. have_not also later, if the
//                                            receiver's threads begin to probe
//            unwanted(message) ◀── receiver  of a message that is longer than its receive
//                ◀── lost(message) ──        the fabric has not brought it: the host is to
//                gone(message) ──▶           but the sender took it for delivered, and has it no more: an error
//              ◀── knows(context) ──         of the communicator of a message (network/contexts.hpp)
//            plain ──▶                  messages as long as a descriptor may be the program's own: none is announced any more
//              ◀── scatters(block) ──        of a message that came in one piece, by the host: the next may be announced
//
//   Contacts contacts(fabric, voice);
//   if (contacts.reaches(world)) ...                        // asks it, the first time
//   if (!contacts.take(word, from)) ...                     // a word of a message: its owner's business
//   contacts.look_at_greetings();                           // now and then
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/shared_fabric.hpp"
#include "layout/bytes.hpp"

namespace heddle::engine {

/// What ranks tell each other.
struct Word {
  enum Kind : std::uint32_t { have_you, have, have_not, unwanted, lost, gone, scatters, plain, knows };
  Kind kind = unwanted;
  /// Of the fabric (SharedFabric::mark); of the message, by its sender; scatters: bytes of a block, on average; knows: the
  /// context.
  std::uint32_t number = 0;
  transport::fabric::Whereabouts where{};  ///< have_you: of who asks.
};

/// Any thread.
class Contacts {
 public:
  /// Who brings words.
  class Voice {
   public:
    /// Throws std::bad_alloc.
    virtual void tell(int rank, const Word& word) = 0;
    /// That rank has asked, and is not reached.
    virtual void complain_of(int rank) = 0;

   protected:
    ~Voice() = default;
  };

  Contacts(SharedFabric& fabric, Voice& voice) noexcept : fabric_(fabric), voice_(voice) {}

  /// Whether messages get to that rank by the fabric, which is open. Asks it, if nobody has: then not yet.
  bool reaches(int rank) noexcept;
  /// The fabric has lost a message to that rank: it is asked again, a few times.
  void doubt(int rank) noexcept;
  /// From here on nothing is to be announced to this process.
  void want_none() noexcept;

  /// The program is about to send a message as long as a descriptor. This process tells the ranks that might wait for a
  /// descriptor, and announces nothing any more.
  void send_plainly() noexcept {
    if (!sends_plainly_.load(std::memory_order_relaxed)) [[unlikely]]
      tell_of_plain();
  }
  /// True: that rank may announce messages to this process, and sends nothing else in the length of a descriptor.
  [[nodiscard]] bool announces(int rank) noexcept;

  /// What came from that rank in one piece has been scattered, into blocks of so many bytes: it is told so, once.
  void scatter_hint(int rank, layout::Bytes block) noexcept;
  /// Of what that rank receives: bytes of a block, as it has said; 0: it has not.
  [[nodiscard]] layout::Bytes scattered_by(int rank) noexcept;
  /// Messages in one piece may go by the fabric, too: somebody scatters them, or the user wishes it.
  [[nodiscard]] bool moves_pieces() const noexcept { return moves_pieces_.load(std::memory_order_relaxed); }
  void move_pieces() noexcept { moves_pieces_.store(true, std::memory_order_relaxed); }

  /// What a rank has said. If it asks, the fabric has been opened, or there is none. False: it is of a message. Throws
  /// std::bad_alloc.
  bool take(const Word& word, int from);
  /// Answers those that have asked, as soon as it is known what.
  void look_at_greetings() noexcept;
  /// Somebody who has asked is not answered yet.
  [[nodiscard]] bool greets() noexcept;

  /// It is held while words are told, and guards what the voice keeps of them, too: a call of MPI's may come back here.
  [[nodiscard]] std::recursive_mutex& lock() noexcept { return lock_; }

 private:
  /// Another rank, as one to announce messages to.
  struct Contact {
    bool reached = false;
    bool asked = false;       // not answered yet
    int times = 0;            // asked
    layout::Bytes block = 0;  // of what it scatters
  };
  /// Of a rank that has asked: whether we reach each other is being tried.
  struct Greeting {
    int rank = -1;
    transport::fabric::Whereabouts where{};
    std::uint32_t peer = 0;
    std::int64_t since = 0;
    int times = 1;
  };

  void ask(int rank, Contact& contact);
  void tell_of_plain() noexcept;
  void answered(int rank, bool reached);
  void greet(const Word& word, int from);
  std::optional<bool> welcomed(Greeting& greeting);

  SharedFabric& fabric_;
  Voice& voice_;
  std::recursive_mutex lock_;
  std::unordered_map<int, Contact> contacts_;
  std::vector<Greeting> greetings_;
  std::vector<int> askers_;  // ranks that have asked
  std::unordered_set<int> hinted_;
  std::atomic<bool> moves_pieces_{false};
  std::atomic<bool> wants_none_{false};
  std::unordered_set<int> announcing_;  // ranks that have been told that they reach us, and send nothing plainly
  std::unordered_set<int> plain_;       // ranks that do
  std::atomic<bool> sends_plainly_{false};
};

}  // namespace heddle::engine
