// mpi/exchange/persistent_mailboxes.hpp: the short blocks of a persistent exchange between two ranks of a node, without
// messages of the host's: a mailbox for each block (engine/mailbox.hpp), whose keys are numbers of starts. Includes
// exchange.hpp, mailboxes.hpp, types/registry.hpp.
//
//   if (!mailboxes.agree(*own, exchange)) ...        // at init; takes blocks out of the exchange
//   mailboxes.start();                               // publishes
//   if (mailboxes.advance()) ...                     // puts in place what has come; true: all of it
//
// Only pairs that send to each other have mailboxes, so nobody asks for room (docs/mailbox.md, rule 7). Nothing is left to be
// done by a sender once it has started; a receiver unpacks in its own completion call.
#pragma once

#include <vector>

#include "mpi/exchange/exchange.hpp"
#include "mpi/exchange/mailboxes.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class PersistentMailboxes {
 public:
  /// Collective: each rank waits for those that it exchanges short blocks with. False: no memory.
  bool agree(const ShadowComm& own, Exchange& exchange) noexcept;

  [[nodiscard]] bool any() const noexcept { return !in_.empty() || !out_.empty(); }
  void start() noexcept;
  bool advance() noexcept;
  /// The first that went wrong in this start; not raised.
  [[nodiscard]] int error() const noexcept { return error_; }
  /// More ranks than cores.
  [[nodiscard]] bool crowded() const noexcept { return Node::ever()->crowded(); }

 private:
  struct Carried {
    Buffer data;
    Bytes bytes;
    Derived type;  // the program may free its handle
    engine::Mailbox mailbox{};
    bool done = true;
  };

  Mailboxes mailboxes_;
  std::vector<Carried> out_, in_;
  std::size_t left_ = 0;  // to be put in place
  std::int64_t number_ = 0;
  int error_ = MPI_SUCCESS;
};

}  // namespace heddle::mpi
