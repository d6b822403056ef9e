// explain/findings.hpp: the parts of Heddle that are in effect in a program, and the reasons for
// the others. People and `heddle doctor` read these lines.
//
//   for (const std::string& line : lines(found)) puts(line.c_str());
//
//   ✓ receives: all reach Heddle, under any name
//   ! collectives: Heddle packs around the MPI library's own algorithms → why, or what to do
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace heddle::explain {

/// The state of a feature that needs all ranks.
enum class Effect {
  unwanted,        ///< The settings switch it off.
  not_every_rank,  ///< Some ranks do not want it.
  impossible,      ///< Another message of Heddle has the reason.
  in_effect,
};

/// Other libraries that replace procedures of the MPI library.
struct Tools {
  std::string called;                   ///< The tools that get the program's calls; empty: none.
  std::vector<std::string> not_called;  ///< The tools that get no calls, each with the library that is called instead.
};

/// Messages to other nodes.
struct BetweenNodes {
  Effect effect = Effect::unwanted;
  std::string why_unwanted{};  ///< " (HEDDLE_FABRIC=off)", ": there is none"; empty: Heddle carries no messages.
  bool one_node = false;
  std::string provider{};  ///< libfabric's provider; empty: there is none.
  bool measured = false;   ///< `heddle tune` has measured that it is faster than packing.
};

struct Findings {
  std::string entry;        ///< The call that started MPI: MPI_Init.
  std::string library;      ///< "Open MPI v5.0.11 (/usr/lib/libmpi.so)".
  bool running = false;     ///< Heddle is on.
  std::string built_for{};  ///< Heddle's words about its own build.
  bool enabled = true;      ///< HEDDLE is not off.
  std::string off_by{};     ///< The file and line that switch Heddle off; empty: the environment.
  Tools tools{};
  const char* missed = nullptr;  ///< The reason why a receive could bypass Heddle: the end of a sentence. Null: no receive can.
  settings::Messages messages = settings::Messages::automatic;
  bool shares = true;  ///< Ranks may share memory. In sessions they do not.
  Effect node = Effect::unwanted;
  std::int64_t rendezvous = 0;  ///< Messages of at least so many bytes are announced.
  BetweenNodes between_nodes{};
  Effect collectives = Effect::unwanted;
};

std::vector<std::string> lines(const Findings& found);

/// Only the line about receives.
std::string receives(const char* missed);
/// Only the lines about tools, in the words of a running program.
std::vector<std::string> sentences(const Tools& tools);

}  // namespace heddle::explain
