// mpi/requests/rooted.hpp: what MPI_Igather and MPI_Iscatter have in common: one block at each rank, all of them at the root.
// Includes collective.hpp.
#pragma once

#include "mpi/requests/collective.hpp"

namespace heddle::mpi {

/// Which side has one block.
enum class One { sent, received };

/// `hand` gives both sides to the host: hand(op).
template <One one, class Send, class Receive, class How, class Hand>
Done carry_out_rooted(const Send& send, const Receive& receive, int root, MPI_Comm comm, const How& how, const Hand& hand,
                      const char* call = __builtin_FUNCTION()) {
  constexpr bool gathers = one == One::sent;
  const Rooted place(root, comm);
  if (!place.known || (place.root && place.leaf && same_elements(send, receive))) return {};
  const bool in_place = place.root && (gathers ? send.address : receive.address) == MPI_IN_PLACE;
  const auto prepared = [&](auto& side, const auto& data, bool has_one) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(side)>, Blocks>) {
      return side.prepare(data, place.ranks, place.root);
    } else {
      side.emplace(data, has_one ? 1 : place.ranks, has_one ? place.leaf && !in_place : place.root);
      return side->prepare();
    }
  };
  const auto of = [](auto& side) -> auto& {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(side)>, Blocks>)
      return side;
    else
      return *side;
  };
  using Op = Staged<std::conditional_t<std::is_same_v<Send, Spread>, Blocks, OneSide>,
                    std::conditional_t<std::is_same_v<Receive, Spread>, Blocks, OneSide>>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        if (!prepared(op.out, send, gathers) || !prepared(op.in, receive, !gathers)) return false;
        if (!of(op.out).ours() && !of(op.in).ours()) return false;
        op.wide = of(op.out).wide() || of(op.in).wide();
        if constexpr (std::is_same_v<Send, Spread>) op.out.narrow_unless(op.wide);
        if constexpr (std::is_same_v<Receive, Spread>) op.in.narrow_unless(op.wide);
        if (!gathers) return true;
        op.stores = place.root ? Op::all : Op::none;
        op.but = in_place ? place.me : Op::none;
        op.blocks = place.ranks;
        return true;
      },
      hand, call);
}

}  // namespace heddle::mpi
