// tool/commands.hpp: the subcommands of heddle-tool, the native half of `heddle explain`, `heddle env`, `heddle tune`,
// `heddle algorithms`, `heddle simulate` and `heddle bench seek`. May include: layout/, group/, schedule/, settings/, select/,
// explain/, transport/, sim/. Each answers with JSON; main.cpp reads the command line and prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/way.hpp"
#include "layout/layout.hpp"
#include "select/profile_file.hpp"

namespace heddle::tool {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  std::string description;     ///< In the grammar of layout/grammar.hpp.
  layout::Count count = 1;     ///< Elements.
  std::string to;              ///< The receiver's datatype, likewise; empty: not known.
  std::size_t segments = 256;  ///< At most so many are listed.
  std::size_t entries = 256;   ///< Of the type map, likewise.
};

/// Everything there is to say about a datatype. layout::grammar::Error, std::overflow_error (too many elements).
Json explain(const ExplainOptions& options);
/// The same in lines "name: value".
std::vector<std::string> explain_in_lines(const ExplainOptions& options);

/// The canonical program as nested objects; long lists and large programs are cut, and say so.
Json tree(const layout::Layout& layout);

/// How Heddle packs `count` elements, and why: sentences.
std::vector<std::string> plan(const layout::Layout& layout, layout::Count count);

/// Which kernels pack and unpack `count` elements, and why: {"parts": [{"kind", "pack", "unpack"}, ...], "more"}, the first few
/// parts of a struct; none for what is one piece.
Json kernels(const layout::Layout& layout, layout::Count count);

/// The profile of this machine, as the library would use it; read once. What is wrong with it is said then.
const select::Loaded& profile();
/// Where it is looked for, and what is used: {"file", null if there is none, "source", the file's name or "built in"}.
Json profile_file();

/// Which way `count` elements take to a rank of the same node, and why: by the sender's memory. `to`: the receiver's datatype,
/// or empty. layout::grammar::Error, std::runtime_error (the sizes do not fit).
explain::Way way(const layout::Layout& layout, layout::Count count, const std::string& to);
Json told(const explain::Way& way, const std::string& to);

struct GroupOptions {
  std::string description;   ///< In the grammar of group/text.hpp.
  std::size_t members = 64;  ///< At most so many are listed.
};

/// A group's format, and what the others would take. group::TextError, std::invalid_argument.
Json explain_group(const GroupOptions& options);

/// Which algorithm a collective would take for the volumes described, and what each would take: by the choice's model, and with
/// all ranks walked. std::invalid_argument.
Json explain_collective(const std::string& description);

/// How this copy was built: {"version", "commit", "compiler", "processor", "kernels", "fabric", "built_for": {"mpich", ...}}.
Json build();

/// Tables {"room", "title", "choice", "rows": [{"name", "description", "when", ...}]}: one for each choice that Heddle makes.
Json algorithms();

/// The table of settings.
Json settings_table();

struct SeekOptions {
  std::vector<layout::Count> sizes = {64, 128, 256, 512, 1024};  ///< Rows of the matrix.
  layout::Bytes segment = 65536;                                 ///< Bytes of the pipeline's segments.
  int samples = 5;
};

struct TuneOptions {
  bool quick = false;
  std::string output;     ///< Empty: where the library looks for it.
  bool progress = false;  ///< Prints a line {"done": 0.25, "what": "..."} before each measurement.
  // What bench/links took under each MPI library, ns (tune/links.hpp); empty: not measured.
  std::vector<double> mpich;
  std::vector<double> openmpi;
  // What bench/links took between two nodes: the fabric's provider, and times (tune/nodes.hpp); empty: not measured.
  std::vector<std::string> mpich_nodes;
  std::vector<std::string> openmpi_nodes;
  bool add = false;  ///< The rest is that of the profile which is there already, if it is of this machine.
};

/// Measures this machine and writes its profile. std::runtime_error.
Json tune(const TuneOptions& options);

/// Runs bench/links: `library` is its build for the MPI that is preloaded into this process, `words` its command line.
/// Returns its exit status. std::runtime_error (it cannot be loaded).
int links(const std::string& library, const std::vector<std::string>& words);

/// Prints what collectives would take on a machine that does not stand here (sim/estimate/), a line of JSON for each task of
/// the file. std::invalid_argument, nlohmann::json::exception.
void estimate(const std::string& file);

/// Rows {"bench", "case", "variant", "metric", "value", "unit", ...}: seed figure 13, and seek time against the offset.
Json seek(const SeekOptions& options);

}  // namespace heddle::tool
