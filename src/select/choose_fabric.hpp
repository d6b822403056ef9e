// select/choose_fabric.hpp: chooses the way of a message with holes between nodes, and gives the
// reason. Pure.
//
//   const Network network = network_of("tcp;ofi_rxm", 4, 4, profile.mpich_nodes);
//   const FabricEnd sender = end_of({bytes, side, End::sender, &network});        // before the receiver is known
//   const FabricEnd receiver = end_of({bytes, side, End::receiver, &network});    // with the descriptor in its hands
//   const Scheme scheme = table_1(sender, receiver);
//
// After Wu, Wyckoff, Panda 2004, §5.2. Each end decides by its own blocks: it copies them, or
// leaves them in place. The two decisions give the scheme (Table 1). The paper has a rule of thumb
// ("small blocks, little deviation"). Here each end compares two costs: the time of copying, and
// the time of operations that move its blocks in place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "select/profile.hpp"
#include "select/scheme.hpp"
#include "select/side.hpp"

namespace heddle::select {

/// Costs of a provider, ns.
struct Network {
  std::string_view provider;
  double operation = 0;   ///< Posting and completing an operation.
  double piece = 0;       ///< Each piece of memory in an operation.
  double segment = 0;     ///< Handing over a segment: notification, credit.
  double greeting = 0;    ///< From descriptor to answer: the additional time before a message over the fabric begins.
  double wire = 0;        ///< Each byte on the wire.
  double region = 0;      ///< Registering a region and releasing it.
  double page = 0;        ///< Each page of a region. 0: memory need not be registered, or registration is free.
  int iov = 1;            ///< Pieces of local memory in an operation.
  int rma_iov = 1;        ///< Pieces of remote memory in an operation.
  bool measured = false;  ///< False: numbers of the paper and of data sheets, never measured.

  // The wire of the MPI library between the same nodes, if `heddle tune` has measured both there;
  // otherwise 0
  double message = 0;       ///< A message in one piece.
  double message_byte = 0;  ///< Each byte of such a message.
};

/// The costs of a provider: measured here if it is the provider of `measured` ("tcp;ofi_rxm" is
/// tcp), otherwise from a table. An unknown provider has the row of verbs. `iov` and `rma_iov` are
/// the limits of the provider.
Network network_of(std::string_view provider, int iov, int rma_iov, const BetweenNodes& measured = {}) noexcept;

/// Bytes of a segment. A message has several segments, so that both ends work; a segment is long
/// enough to pay for its hand-over.
constexpr Bytes shortest_segment = Bytes{64} << 10;
constexpr Bytes longest_segment = Bytes{256} << 10;
Bytes fabric_segment(Bytes bytes) noexcept;

enum class End { sender, receiver };

struct FabricFacts {
  Bytes bytes = 0;  ///< Length of the packed stream, > 0.
  Side side{};      ///< The blocks of this end.
  End end = End::sender;
  const Network* network = nullptr;
  const Side* receiver = nullptr;  ///< Sender: the blocks of its receiver. Null: assumed to be like its own.
  bool reads = false;              ///< Receiver: if its blocks stay in place, it reads (its sender `offers`).
  bool kept = true;                ///< Registrations stay for the next message. Otherwise each message registers its own.
  Bytes segment = 64 << 10;
  const Profile* profile = &builtin();
};

/// The decision of an end.
struct FabricEnd {
  bool in_place = false;  ///< Its blocks stay in place ("copy-reduced"). Otherwise it packs or unpacks.
  bool offers = false;    ///< Sender: if the receiver's blocks stay in place, the receiver reads (P-RRS).
  double copying = 0;     ///< ns
  double moving = 0;      ///< ns
};

FabricEnd end_of(const FabricFacts& facts) noexcept;
/// The decision if one of the four schemes is forced (forced.hpp).
FabricEnd end_of(const FabricFacts& facts, std::optional<Scheme> scheme) noexcept;

/// Table 1 of the paper, and P-RRS, which the table leaves out. P-RRS is used if reads reach more
/// pieces than writes, and if the sender packs. For a sender that packs, the table has Multi-W,
/// with a write for each of its blocks.
Scheme table_1(const FabricEnd& sender, const FabricEnd& receiver) noexcept;

/// True if the sender expects that a message gains by the fabric. If not, the MPI library carries
/// it packed. With measured costs, the fabric must take a tenth less than packing, the library's
/// message in one piece, and unpacking together. Without them, the gain by overlapping segments, or
/// by blocks in place, must exceed the time of the answer.
bool pays(const FabricFacts& sender) noexcept;

/// True if Heddle should open a network of sockets that no setting names. It must be measured, and
/// a message of a MiB in blocks of a KiB must gain by it. An open network polls receives, which
/// costs time for packed messages.
bool worth_opening(const BetweenNodes& measured, const Profile& profile) noexcept;

/// The reason of an end's decision, in one sentence with its numbers.
std::string why(const FabricFacts& facts, const FabricEnd& end);

}  // namespace heddle::select
