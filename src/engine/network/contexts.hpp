// engine/network/contexts.hpp: the communicators of messages between nodes, as both ends know them.
// MPI names no communicator alike on all ranks, so each rank numbers its own.
//
//   sender     a descriptor, and the packed bytes of its message, carry the sender's number of the communicator: its context
//   receiver   the first descriptor that arrives on a communicator tells its context. The receiver keeps it, and says so
//              (Word::knows)
//
//   if (!contexts.announce(to, context)) ...              // the message goes another way
//   descriptor.context = context;
//   descriptor.asks = contexts.asks(to, context);
//
// A sender announces to each rank messages of at most one context that the rank does not know. So
// the receiver can tell the communicator of a message even if no descriptor of it has been read:
// only one context is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace heddle::engine {

/// Any thread. Number 0: not known. It limits nothing, and fits to everything.
class Contexts {
 public:
  /// Of those that a rank knows: the oldest are forgotten beyond so many.
  static constexpr std::size_t most = 4096;

  // The sender's side.

  /// Whether a message of that context may be announced to that rank.
  [[nodiscard]] bool may_announce(int to, std::uint32_t context) noexcept;
  /// It is going to be. False: it may not be. Throws std::bad_alloc.
  [[nodiscard]] bool announce(int to, std::uint32_t context);
  /// The rank has not said yet that it knows the context.
  [[nodiscard]] bool asks(int to, std::uint32_t context) noexcept;
  /// That rank knows it. Throws std::bad_alloc.
  void known_by(int rank, std::uint32_t context);

  // The receiver's side.

  /// A descriptor with that context has arrived on this process's communicator number `own`. Throws
  /// std::bad_alloc.
  void learn(int from, std::uint32_t context, std::uint32_t own);
  /// Whether a message of that context may have been sent over communicator `own`.
  [[nodiscard]] bool may_be(int from, std::uint32_t context, std::uint32_t own) noexcept;

 private:
  struct To {
    std::uint32_t unknown = 0;      ///< Has been announced, and that rank has not said that it knows it.
    std::set<std::uint32_t> known;  ///< By that rank.
  };
  struct From {
    std::map<std::uint32_t, std::uint32_t> own;       ///< By context,
    std::map<std::uint32_t, std::uint32_t> contexts;  ///< and the other way round.
  };

  std::mutex lock_;
  std::map<int, To> to_;
  std::map<int, From> from_;
};

}  // namespace heddle::engine
