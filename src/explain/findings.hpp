// explain/findings.hpp: what `heddle doctor` says of a program: what is in effect in it, and why not the rest. Lines that
// people and that command read. May include: settings/.
//
//   for (const std::string& line : lines(found)) puts(line.c_str());
//
//   ✓ receives: all come to Heddle, by whatever name
//   ! collectives: packed, through the MPI library's → why, or what to do
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace heddle::explain {

/// Something that takes all ranks.
enum class Effect {
  unwanted,        ///< By the settings.
  not_every_rank,  ///< Some do not wish it.
  impossible,      ///< Heddle has said why.
  in_effect,
};

/// Who else stands in for procedures of the MPI library.
struct Tools {
  std::string called;                   ///< Those that the program's calls come to; empty: none.
  std::vector<std::string> not_called;  ///< Each with who is called instead.
};

/// Messages to other nodes.
struct BetweenNodes {
  Effect effect = Effect::unwanted;
  std::string why_unwanted{};  ///< " (HEDDLE_FABRIC=off)", ": there is none"; empty: messages are not carried at all.
  bool one_node = false;
  std::string provider{};  ///< libfabric's; empty: there is none.
  bool measured = false;   ///< `heddle tune` has found it quicker than packing.
};

struct Findings {
  std::string entry;        ///< By which it has begun: MPI_Init.
  std::string library;      ///< "Open MPI v5.0.11 (/usr/lib/libmpi.so)".
  bool running = false;     ///< Heddle is on.
  std::string built_for{};  ///< As it says of itself.
  bool enabled = true;      ///< HEDDLE is not off.
  std::string off_by{};     ///< The file, and the line, that says so; empty: the environment.
  Tools tools{};
  const char* missed = nullptr;  ///< Why a receive could pass Heddle: a sentence's end; null: none can.
  settings::Messages messages = settings::Messages::automatic;
  bool shares = true;  ///< Ranks may share something: not in sessions.
  Effect node = Effect::unwanted;
  std::int64_t rendezvous = 0;  ///< From so many bytes on messages are announced.
  BetweenNodes between_nodes{};
  Effect collectives = Effect::unwanted;
};

std::vector<std::string> lines(const Findings& found);

/// Only the line on receives.
std::string receives(const char* missed);
/// Only those on tools, in the words of a running program.
std::vector<std::string> sentences(const Tools& tools);

}  // namespace heddle::explain
