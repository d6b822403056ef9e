// select/choose_one_sided.hpp: the way by which an MPI_Put or MPI_Get reaches memory of the node,
// and why. Pure: no clock, no globals.
//
//   const OneSided facts{.origin_in_one_piece = true, .target_in_one_piece = false, .bytes = 8192};
//   if (way(facts) == OneSidedWay::direct) ...                      // one copy from layout to layout
//   puts(why(facts).c_str());                                       // the reason in words
//
//   way        the target's memory          the data moves
//   direct     is mapped here               from layout to layout, in the call
//   across     belongs to another process   block by block, by the system, in the call
//   fenced     belongs to another process   packed, through shared memory; both ranks copy, in the next fence
//   library    all other accesses
//
// Libraries copy data in one piece as fast as memory allows. MPICH 5.0.2 and Open MPI 5.0.11 take
// 2 to 40 times as long for data with holes between two ranks of a node.
#pragma once

#include <cstdint>
#include <string>

#include "layout/bytes.hpp"

namespace heddle::select {

enum class OneSidedWay : std::uint8_t { library, direct, across, fenced };

struct OneSided {
  bool origin_in_one_piece = true;
  bool target_in_one_piece = true;
  layout::Bytes bytes = 0;
  layout::Bytes least = 0;  ///< The library is as fast for fewer bytes (HostTraits::slow_to_access_from).
  bool gets = false;        ///< An MPI_Get; it only changes the words of the reason.
  bool apart = false;       ///< The target's memory is not mapped here.

  // Of memory that is apart:
  bool all = false;                ///< The user wants all accesses (HEDDLE_WINDOWS=on).
  bool copied = false;             ///< The system copies between the two processes.
  bool fenced = false;             ///< The access can wait for the next fence.
  layout::Bytes mean_block = 0;    ///< The side with the shorter blocks counts. Bytes.
  layout::Bytes least_fenced = 0;  ///< The limit of an access that waits for a fence,
  layout::Count many_blocks = 0;   ///< or the number of blocks from which on fewer bytes wait, too; 0: none.
  layout::Bytes fenced_below = 0;  ///< The library is as fast for blocks of so many bytes.
};

/// The system takes 0.1 to 0.2 us for each block that it copies between processes, so blocks should
/// have so many bytes at least.
constexpr layout::Bytes across_from = 2 << 10;

constexpr OneSidedWay way(const OneSided& access) noexcept {
  if (access.bytes <= 0 || (access.origin_in_one_piece && access.target_in_one_piece)) return OneSidedWay::library;
  if (!access.apart) return access.bytes >= access.least ? OneSidedWay::direct : OneSidedWay::library;
  if (access.copied && access.mean_block >= across_from && access.bytes >= access.least) return OneSidedWay::across;
  const bool long_or_scattered =
      access.bytes >= access.least_fenced || (access.many_blocks > 0 && access.bytes / access.many_blocks >= access.mean_block);
  if (access.fenced && long_or_scattered && access.mean_block < access.fenced_below) return OneSidedWay::fenced;
  return access.copied && access.all ? OneSidedWay::across : OneSidedWay::library;
}

std::string why(const OneSided& access);

}  // namespace heddle::select
