// tool/window.cpp: the ways of an MPI_Put or MPI_Get of a datatype, for each kind of window
// (select/choose_one_sided.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "layout/grammar.hpp"
#include "select/choose_one_sided.hpp"
#include "select/host_traits.hpp"
#include "select/side.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using layout::Bytes;
using layout::Count;

/// How the origin can reach the target's memory.
struct Reach {
  const char* window;
  const char* epoch;
  bool apart;   ///< The memory is not mapped at the origin.
  bool fenced;  ///< The access can wait for a fence.
};
constexpr std::array reaches = {
    Reach{.window = "MPI_Win_allocate, MPI_Win_allocate_shared", .epoch = "fence, lock", .apart = false, .fenced = false},
    Reach{.window = "MPI_Win_create", .epoch = "fence", .apart = true, .fenced = true},
    Reach{.window = "MPI_Win_create", .epoch = "lock with MPI_MODE_NOCHECK", .apart = true, .fenced = false}};

struct Library {
  const char* name;
  const select::HostTraits& traits;
};
constexpr std::array libraries = {Library{"MPICH", select::mpich_traits}, Library{"Open MPI", select::openmpi_traits}};

const char* name(select::OneSidedWay way) {
  switch (way) {
    case select::OneSidedWay::direct:
      return "direct";
    case select::OneSidedWay::across:
      return "across";
    case select::OneSidedWay::fenced:
      return "fenced";
    case select::OneSidedWay::library:
      break;
  }
  return "library";
}

/// One side of the access, with elements for `bytes`.
struct End {
  End(const std::string& description, Bytes bytes) {
    const layout::grammar::TypePtr type = layout::grammar::parse(description);
    const Bytes size = type->layout.size();
    if (size == 0 ? bytes != 0 : bytes % size != 0)
      throw std::runtime_error(fmt::format(
          "the access has {} bytes, which is no whole number of elements of {} ({} bytes each)", bytes, description, size));
    const select::Side side = select::Statistics(type->layout).of(size == 0 ? 0 : bytes / size);
    in_one_piece = side.contiguous || bytes == 0;
    mean_block = in_one_piece ? bytes : static_cast<Bytes>(side.mean_block);
  }
  bool in_one_piece;
  Bytes mean_block;
};

}  // namespace

Json explain_window(const WindowOptions& options) {
  const Bytes bytes = layout::times(options.count, layout::grammar::parse(options.origin)->layout.size());
  const End origin(options.origin, bytes);
  const End target(options.target.empty() ? options.origin : options.target, bytes);
  const settings::Windows windows = settings::from_environment().windows;
  const bool all = windows == settings::Windows::on;
  Json answer = {{"bytes", bytes}, {"off", windows == settings::Windows::off}, {"ways", Json::array()}};
  for (const Library& library : libraries)
    for (const Reach& reach : reaches) {
      const select::OneSided facts{
          .origin_in_one_piece = origin.in_one_piece,
          .target_in_one_piece = target.in_one_piece,
          .bytes = bytes,
          .least = all ? 0 : library.traits.slow_to_access_from,
          .apart = reach.apart,
          .all = all,
          .copied = reach.apart,
          .fenced = reach.fenced,
          .mean_block = std::min(origin.mean_block, target.mean_block),
          .least_fenced = all ? 0 : library.traits.slow_to_access_apart_from,
          .many_blocks = library.traits.slow_to_access_apart_blocks,
          .fenced_below = all ? std::numeric_limits<Bytes>::max() : library.traits.slow_to_access_apart_below};
      answer["ways"].push_back({{"library", library.name},
                                {"window", reach.window},
                                {"epoch", reach.epoch},
                                {"way", name(select::way(facts))},
                                {"why", select::why(facts)}});
    }
  return answer;
}

}  // namespace heddle::tool
