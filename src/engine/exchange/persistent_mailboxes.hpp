// engine/exchange/persistent_mailboxes.hpp: the short blocks of a persistent exchange between two
// ranks of a node, without messages of the host's: a mailbox for each block (mailbox.hpp), whose
// keys are numbers of starts.
//
//   PersistentMailboxes mailboxes(exchange, carrier);
//   if (!mailboxes.agree(room, channel)) ...             // at init; takes blocks out of the exchange
//   mailboxes.start();                                   // publishes
//   if (mailboxes.advance(wait)) ...                     // puts in place what has come; true: the exchange is over, too
//
// Only pairs that send to each other have mailboxes, so nobody asks for room (docs/mailbox.md, rule 7). Nothing is left to be
// done by a sender once it has started; a receiver unpacks in its own completion call.
#pragma once

#include <vector>

#include "engine/exchange/exchange.hpp"
#include "engine/exchange/mailboxes.hpp"

namespace heddle::engine {

class PersistentMailboxes {
 public:
  /// Of what is left to `exchange`, by the same carrier.
  PersistentMailboxes(Exchange& exchange, Carrier& carrier) noexcept : exchange_(exchange), carrier_(carrier) {}

  /// Collective: each rank waits for those that it exchanges short blocks with. False: no memory.
  bool agree(const MailRoom& room, Channel& channel) noexcept;

  [[nodiscard]] bool any() const noexcept { return !in_.empty() || !out_.empty(); }
  void start() noexcept;
  /// Also of the exchange, which has been started. If any().
  bool advance(bool wait) noexcept;
  /// The first that went wrong in this start; not raised.
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
  std::size_t left_ = 0;  // to be put in place
  std::int64_t number_ = 0;
  int error_ = 0;
};

}  // namespace heddle::engine
