// engine/said.hpp: what ranks say of themselves when a job starts, put together: wishes that all of
// them have, settings that must be the same, and whether all are on one machine, and can have one
// file there.
//
//   Said all(wish_node | wish_report, {"crystal", "auto"}, machine());   // of this rank
//   all = both(all, heard);                              // each that it hears, in whatever order, once or twice
//   const auto of_all = said_by_all(all, me, ranks, tell, hear);         // by messages
//   const Granted found = granted(all, {"HEDDLE_ALLTOALLV", "HEDDLE_ALLGATHERV"});
//   if (found.wishes & wish_node) ...
//
//   all.shares(CommonFile::terms(options), me == 0 ? &file.offer() : nullptr);      // before
//   if (const std::optional<transport::Offer> offer = of_all->offered()) ...        // rank 0's
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/digest.hpp"
#include "transport/common_file.hpp"

namespace heddle::engine {

constexpr unsigned wish_node = 1;       ///< To share memory with the ranks of the node.
constexpr unsigned wish_report = 2;     ///< To merge counters at the end (HEDDLE_REPORT).
constexpr unsigned wish_exchange = 4;   ///< To carry out collectives itself (HEDDLE_COLLECTIVES).
constexpr unsigned wish_fabric = 8;     ///< To send messages with holes to other nodes by libfabric (HEDDLE_FABRIC).
constexpr unsigned wish_messages = 16;  ///< To carry messages of the program within the node (HEDDLE_MESSAGES).
constexpr unsigned wish_meeting = 32;   ///< The rank runs Heddle, and meets the others in MPI_Finalize.

/// Of one rank, or of all that have been heard: bit by bit what all of them say. As it travels.
struct Said {
  /// Settings that there may be.
  static constexpr std::size_t most = 8;

  Said() = default;
  /// @param values  Of the settings, `most` at most, in one order on all ranks.
  /// @param on  The machine that it runs on. Empty: not known, or not wanted; then all are on none.
  Said(unsigned wishes_of_rank, std::span<const std::string_view> values, std::string_view on = {}) noexcept;
  /// @param terms  Which must be the same on all ranks. Empty: this one has no file with others.
  /// @param offer  Rank 0's; null: of another rank.
  void shares(std::string_view terms, const transport::Offer* offer) noexcept;
  /// Of all that have been heard. Nothing: they have no file together.
  [[nodiscard]] std::optional<transport::Offer> offered() const noexcept;
  /// Nobody else begins a message so.
  [[nodiscard]] bool is_one() const noexcept { return mark == Said().mark; }

  std::array<unsigned, 4> mark{0x48656464, 0x6c653a20, 0x77686f20, 0x69733f0a};
  Digest settings[most]{};
  Digest machine{};
  Digest terms{};
  std::array<unsigned, sizeof(transport::Offer) / sizeof(unsigned)> offer{};
  unsigned wishes = 0;
};
/// It is so many numbers.
constexpr int said_numbers = sizeof(Said) / sizeof(unsigned);

Said both(const Said& one, const Said& other) noexcept;

/// All ranks tell rank 0, up a tree, and hear from it what all have said. A rank has up to eight below it: most ranks send one
/// message and receive one, which is little work where many share a core. Nothing: a message has not come.
/// @param tell  bool(const Said& what, int to)
/// @param hear  std::optional<Said>(int from)
template <class Tell, class Hear>
std::optional<Said> said_by_all(const Said& mine, int me, int ranks, Tell tell, Hear hear) {
  constexpr long branches = 8;
  const long first = branches * me + 1;
  const long end = std::min<long>(first + branches, ranks);
  Said all = mine;
  for (long below = first; below < end; ++below) {
    const std::optional<Said> theirs = hear(static_cast<int>(below));
    if (!theirs) return {};
    all = both(all, *theirs);
  }
  if (me > 0) {
    const auto above = static_cast<int>((me - 1) / branches);
    if (!tell(all, above)) return {};
    const std::optional<Said> of_all = hear(above);
    if (!of_all) return {};
    all = *of_all;
  }
  for (long below = first; below < end; ++below)
    if (!tell(all, static_cast<int>(below))) return {};
  return all;
}

/// Names of settings that are not the same on all ranks: "A", "A and B", "A, B and C".
std::string differing(const Said& all, std::span<const std::string_view> names);

/// What comes of the ranks' wishes.
struct Granted {
  unsigned wishes = 0;    ///< Those of all ranks that can be granted.
  std::string complaint;  ///< Empty, or a sentence for the user: why one cannot.
};

/// Collectives are carried out only where the settings are the same on all ranks.
/// @param names  Of the settings, in the order of their values.
Granted granted(const Said& all, std::span<const std::string_view> names);

/// The sentence with which a job ends one of whose ranks does not answer. @param why  How that was seen: "no answer for 60 s".
std::string not_all_run_heddle(const std::string& why);

}  // namespace heddle::engine
