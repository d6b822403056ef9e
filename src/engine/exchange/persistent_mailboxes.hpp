// engine/exchange/persistent_mailboxes.hpp: carries the short blocks of a persistent exchange
// between ranks of a node by mailboxes instead of messages of the host's. Each block has a mailbox
// (engine/node/mailbox.hpp). Its keys are the numbers of starts.
//
//   PersistentMailboxes mailboxes(exchange, carrier);
//   if (!mailboxes.agree(edges, room, channel)) ...      // at init; takes blocks out of the exchange
//   mailboxes.start();                                   // publishes
//   if (mailboxes.advance(wait)) ...                     // puts arrived blocks in place; true: the exchange is over, too
//
// Only ranks that send to each other have mailboxes, so no sender asks for room (docs/mailbox.md,
// rule 7). A sender has nothing left to do once it has started. A receiver unpacks in its own
// completion call.
#pragma once

#include <vector>

#include "engine/exchange/edges.hpp"
#include "engine/exchange/exchange.hpp"
#include "engine/exchange/mailbox_setup.hpp"

namespace heddle::engine {

class PersistentMailboxes {
 public:
  /// `exchange` keeps the other blocks, and uses the same carrier.
  PersistentMailboxes(Exchange& exchange, Carrier& carrier) noexcept : exchange_(exchange), carrier_(carrier) {}

  /// The edges to other ranks of this node, whether blocks go along them or not. Both ends know
  /// them, so neither end waits for a word that nobody says.
  struct Edges {
    std::vector<Edge> out, in;
  };
  /// Collective: each rank waits for the ranks at the other ends of these edges. False: no memory.
  bool agree(const Edges& edges, const MailRoom& room, Channel& channel) noexcept;

  [[nodiscard]] bool any() const noexcept { return !in_.empty() || !out_.empty(); }
  void start() noexcept;
  /// Also moves on the exchange, which has been started. Only if any().
  bool advance(bool wait) noexcept;
  /// The first error of this start; not raised.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  struct Carried {
    Block block;
    Mailbox mailbox{};
    bool done = true;
  };
  bool consume() noexcept;

  Exchange& exchange_;
  Carrier& carrier_;
  bool crowded_ = false;
  Mailboxes mailboxes_;
  std::vector<Carried> out_, in_;
  std::size_t left_ = 0;  // blocks that are not in place yet
  std::int64_t number_ = 0;
  int error_ = 0;
};

}  // namespace heddle::engine
