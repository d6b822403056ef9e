// engine/start/init_handshake.hpp: puts together the words of all ranks about themselves when a job
// starts. The result has the wishes that all ranks share, and the settings that differ. It also
// tells whether all ranks are on one machine and can have one file there.
//
//   Handshake all(wish_node | wish_report, {"crystal", "auto"}, machine());   // of this rank
//   all = both(all, heard);                              // for each one heard, in any order, once or twice
//   const auto of_all = handshake_of_all(all, me, ranks, tell, hear);         // by messages
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

#include "engine/start/digest.hpp"
#include "transport/common_file.hpp"

namespace heddle::engine {

constexpr unsigned wish_node = 1;       ///< Share memory with the ranks of the node.
constexpr unsigned wish_report = 2;     ///< Merge counters at the end (HEDDLE_REPORT).
constexpr unsigned wish_exchange = 4;   ///< Carry out collectives in Heddle (HEDDLE_COLLECTIVES).
constexpr unsigned wish_fabric = 8;     ///< Send messages with holes to other nodes by libfabric (HEDDLE_FABRIC).
constexpr unsigned wish_messages = 16;  ///< Carry messages of the program within the node (HEDDLE_MESSAGES).
constexpr unsigned wish_meeting = 32;   ///< The rank runs Heddle, and meets the others in MPI_Finalize.
constexpr unsigned wish_windows = 64;   ///< Access memory of windows within the node (HEDDLE_WINDOWS).
constexpr unsigned wish_files = 128;    ///< Carry out collective accesses to files (HEDDLE_FILES).
constexpr unsigned wish_created = 256;  ///< Access windows of MPI_Win_create on several nodes, too (HEDDLE_WINDOWS=on).

/// The words of one rank, or the bitwise and of the words of all ranks heard so far. It travels in
/// this form.
struct Handshake {
  /// The most settings.
  static constexpr std::size_t most = 8;

  Handshake() = default;
  /// @param values  Values of at most `most` settings, in one order on all ranks.
  /// @param on  The machine of this rank. Empty: not known, or not wanted. Then the ranks share no
  /// machine.
  Handshake(unsigned wishes_of_rank, std::span<const std::string_view> values, std::string_view on = {}) noexcept;
  /// @param terms  They must be the same on all ranks. Empty: this rank has no file with others.
  /// @param offer  The offer of rank 0; null on other ranks.
  void shares(std::string_view terms, const transport::Offer* offer) noexcept;
  /// The offer of rank 0, if all ranks heard can have that file. Nothing: they have no file
  /// together.
  [[nodiscard]] std::optional<transport::Offer> offered() const noexcept;
  /// True: the message begins with the mark, as no other message does.
  [[nodiscard]] bool is_one() const noexcept { return mark == Handshake().mark; }

  std::array<unsigned, 4> mark{0x48656464, 0x6c653a20, 0x77686f20, 0x69733f0a};
  Digest settings[most]{};
  Digest machine{};
  Digest terms{};
  std::array<unsigned, sizeof(transport::Offer) / sizeof(unsigned)> offer{};
  unsigned wishes = 0;
};
/// The size of Handshake, in numbers.
constexpr int handshake_numbers = sizeof(Handshake) / sizeof(unsigned);

Handshake both(const Handshake& one, const Handshake& other) noexcept;

/// All ranks tell rank 0 their words, up a tree, and hear the words of all from it. A rank has up
/// to eight ranks below it. So most ranks send one message and receive one, which is little work if
/// many ranks share a core. Nothing: a message has not come.
/// @param tell  bool(const Handshake& what, int to)
/// @param hear  std::optional<Handshake>(int from)
template <class Tell, class Hear>
std::optional<Handshake> handshake_of_all(const Handshake& mine, int me, int ranks, Tell tell, Hear hear) {
  constexpr long branches = 8;
  const long first = branches * me + 1;
  const long end = std::min<long>(first + branches, ranks);
  Handshake all = mine;
  for (long below = first; below < end; ++below) {
    const std::optional<Handshake> theirs = hear(static_cast<int>(below));
    if (!theirs) return {};
    all = both(all, *theirs);
  }
  if (me > 0) {
    const auto above = static_cast<int>((me - 1) / branches);
    if (!tell(all, above)) return {};
    const std::optional<Handshake> of_all = hear(above);
    if (!of_all) return {};
    all = *of_all;
  }
  for (long below = first; below < end; ++below)
    if (!tell(all, static_cast<int>(below))) return {};
  return all;
}

/// Names of settings that are not the same on all ranks: "A", "A and B", "A, B and C".
std::string differing(const Handshake& all, std::span<const std::string_view> names);

/// The result of the ranks' wishes.
struct Granted {
  unsigned wishes = 0;    ///< Those of all ranks that can be granted.
  std::string complaint;  ///< Empty, or a sentence that tells the user why a wish cannot be granted.
};

/// Grants collectives only if the settings are the same on all ranks.
/// @param names  Names of the settings, in the order of their values.
Granted granted(const Handshake& all, std::span<const std::string_view> names);

/// The last sentence of a job in which a rank does not answer.
/// @param why  The sign of that: "no answer for 60 s".
std::string not_all_run_heddle(const std::string& why);

}  // namespace heddle::engine
