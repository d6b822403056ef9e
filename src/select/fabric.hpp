// select/fabric.hpp: which way a message with holes is taken between nodes, and why. May include: side.hpp, profile.hpp,
// scheme.hpp. Pure.
//
//   const Network network = network_of("tcp;ofi_rxm", 4, 4, profile.mpich_nodes);
//   const FabricEnd sender = end_of({bytes, side, End::sender, &network});        // before the receiver is known
//   const FabricEnd receiver = end_of({bytes, side, End::receiver, &network});    // with the descriptor in its hands
//   const Scheme scheme = table_1(sender, receiver);
//
// After Wu, Wyckoff, Panda 2004, §5.2: each end decides by its own blocks whether it copies them or leaves them where they are;
// both decisions name the scheme (Table 1). Where they have a rule of thumb ("small blocks, little deviation"), each end here
// compares two costs: what copying takes, and what the operations take that move its blocks as they lie.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "select/profile.hpp"
#include "select/scheme.hpp"
#include "select/side.hpp"

namespace heddle::select {

/// What a provider costs, ns.
struct Network {
  std::string_view provider;
  double operation = 0;   ///< To post and complete one,
  double piece = 0;       ///< and each piece of memory in it.
  double segment = 0;     ///< To hand over one segment: notification, credit.
  double greeting = 0;    ///< From descriptor to answer: what a message over the fabric takes longer to begin.
  double wire = 0;        ///< For each byte on its way.
  double region = 0;      ///< To register a region and to take it back,
  double page = 0;        ///< and each page of it. 0: memory need not be registered, or that costs nothing.
  int iov = 1;            ///< Pieces of local memory in an operation,
  int rma_iov = 1;        ///< and of remote memory.
  bool measured = false;  ///< False: taken from the paper and from data sheets, never seen.

  // The wire of the MPI library between the same nodes, if `heddle tune` has measured both there; else 0
  double message = 0;       ///< A message in one piece,
  double message_byte = 0;  ///< and each byte of it.
};

/// What was measured here, if it was that provider ("tcp;ofi_rxm" is tcp); else its row of a table, of an unknown one verbs'.
/// With the limits that it was found to have.
Network network_of(std::string_view provider, int iov, int rma_iov, const BetweenNodes& measured = {}) noexcept;

/// Bytes of a segment: some in a message, so that both ends are at work, and no shorter than pays for its hand-over.
constexpr Bytes shortest_segment = Bytes{64} << 10;
constexpr Bytes longest_segment = Bytes{256} << 10;
Bytes fabric_segment(Bytes bytes) noexcept;

enum class End { sender, receiver };

struct FabricFacts {
  Bytes bytes = 0;  ///< Of the packed stream, > 0.
  Side side{};      ///< Of this end.
  End end = End::sender;
  const Network* network = nullptr;
  const Side* receiver = nullptr;  ///< Sender: what it knows of its receiver; null: it is taken to be alike.
  bool reads = false;              ///< Receiver: if its blocks stay in place, it reads (its sender `offers`).
  bool kept = true;                ///< What is registered stays so for the next message; else each registers its own.
  Bytes segment = 64 << 10;
  const Profile* profile = &builtin();
};

/// What an end wants.
struct FabricEnd {
  bool in_place = false;  ///< Its blocks stay where they are ("copy-reduced"); else it packs or unpacks.
  bool offers = false;    ///< Sender: if the receiver's blocks stay in place, it is the receiver who reads (P-RRS).
  double copying = 0;     ///< ns
  double moving = 0;      ///< ns
};

FabricEnd end_of(const FabricFacts& facts) noexcept;
/// The same where one of the four schemes is forced (forced.hpp): that scheme's part in it.
FabricEnd end_of(const FabricFacts& facts, std::optional<Scheme> scheme) noexcept;

/// Table 1 of the paper, and P-RRS, which the table leaves out: where reads reach more pieces than writes do, and where the
/// sender packs (there the table says Multi-W, with as many writes as the sender has blocks).
Scheme table_1(const FabricEnd& sender, const FabricEnd& receiver) noexcept;

/// Whether a message gains by the fabric, as far as its sender can tell. Else it goes packed, by the MPI library. Where both
/// were measured: whether the fabric takes a tenth less than packing, the library's message in one piece, and unpacking. Where
/// not: its ends work at once (segments), or leave their blocks where they are, and that is worth more than the answer takes.
bool pays(const FabricFacts& sender) noexcept;

/// Whether a network of sockets, which nobody has asked for by name, is worth being opened: it was measured, and a message of
/// a MiB in blocks of a KiB pays. Receives are polled then, which costs messages that go packed.
bool worth_opening(const BetweenNodes& measured, const Profile& profile) noexcept;

/// Why an end wants what it wants, in one sentence with its numbers.
std::string why(const FabricFacts& facts, const FabricEnd& end);

}  // namespace heddle::select
