// select/choose_message.hpp: the way of a message with holes within a node, and why. Pure: no
// clock, no globals, no system call. `choose` takes some tens of ns and makes no strings.
//
//   const Facts facts{.bytes = bytes, .sender = of_type.of(count), .process_vm = true, .profile = &profile};
//   const Choice choice = choose(facts);                            // {Scheme::bc_spup, 32768, 0}
//   puts(why(facts, choice).c_str());                               // the same in words, with the numbers
//
// After Wu, Wyckoff, Panda 2004, §5. Block statistics decide for each side: it packs, or it moves
// its blocks in place. The two decisions give the scheme (Table 1). The paper has rules of thumb;
// we have the cost of each scheme by a profile.
#pragma once

#include <array>
#include <string>

#include "layout/stores.hpp"
#include "select/profile.hpp"
#include "select/scheme.hpp"
#include "select/side.hpp"

namespace heddle::select {

struct Facts {
  Bytes bytes = 0;          ///< Length of the packed stream, > 0.
  Side sender{};            ///< Always known.
  Side receiver{};          ///< Not known for the first message of a pair.
  bool mapped = false;      ///< The sender's buffer is mapped by the receiver.
  double preparation = 0;   ///< If mapped: of the mapping for this message, ns.
  bool process_vm = false;  ///< The receiver can copy the sender's memory (process_vm_readv).
  bool early = false;    ///< The sender packs, so that its call completes before the receive, as programs expect of few bytes.
  bool crowded = false;  ///< More ranks than cores: waiting for the other side costs a time slice.
  bool blocking = true;  ///< The sender's call returns only when its buffer is free.
  bool own = false;      ///< The receiver is the sender itself. `mapped`: the send outlasts its call, or its receive.
  bool paired = false;   ///< The receiver sends in the same call (a collective, MPI_Sendrecv): it unpacks when it has packed.
  double line = 0;       ///< A cache line between these two ranks, now, ns; 0: not known yet.
  const Profile* profile = &builtin();
};

struct Choice {
  Scheme scheme = Scheme::bc_spup;
  Bytes segment = 0;  ///< A power of two from 4 KiB to 64 KiB.
  double grace = 0;   ///< A waiting sender leaves cells open for its receiver for so long, then packs them, ns.
  layout::Stores stores = layout::Stores::cached;  ///< The sender's stores into lines that its receiver has read.
};

/// The time of each scheme from the descriptor to the last byte, ns. Infinite: the scheme is
/// impossible.
struct Costs {
  std::array<double, schemes.size()> ns{};
  [[nodiscard]] double of(Scheme scheme) const noexcept { return ns[static_cast<std::size_t>(scheme)]; }
};
Costs costs(const Facts& facts) noexcept;

/// The cheapest scheme. BC-SPUP unless another scheme is clearly cheaper: only BC-SPUP needs
/// nothing but mapped slots.
Choice choose(const Facts& facts) noexcept;

/// True if a message in one piece is clearly faster by this choice than through the MPI library.
bool beats(const Facts& facts, const Choice& choice, const Link& host) noexcept;

/// The choice of segment and grace for a given scheme, such as that of HEDDLE_SCHEME.
Choice with(Scheme scheme, const Facts& facts) noexcept;

/// The reason for this choice, in one sentence with its numbers.
std::string why(const Facts& facts, const Choice& choice);

}  // namespace heddle::select
