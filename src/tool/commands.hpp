// tool/commands.hpp: the subcommands of heddle-tool. They are the native half of the command
// `heddle`.
//
// The functions return JSON. main.cpp reads the command line and prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/file/plan.hpp"
#include "explain/scheme_choices.hpp"
#include "layout/layout.hpp"
#include "select/profile_file.hpp"

namespace heddle::tool {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  std::string description;     ///< A datatype in the grammar of layout/grammar.hpp.
  layout::Count count = 1;     ///< Elements.
  std::string to;              ///< The receiver's datatype in the same grammar; empty: not known.
  std::size_t segments = 256;  ///< The answer lists at most so many segments.
  std::size_t entries = 256;   ///< The answer lists at most so many entries of the type map.
};

/// Describes a datatype completely. Throws grammar::Error, or overflow_error if there are too many
/// elements.
Json explain(const ExplainOptions& options);
/// Describes it in lines "name: value".
std::vector<std::string> explain_in_lines(const ExplainOptions& options);

/// The canonical program as nested objects. Long lists and large programs are cut, with a mark.
Json tree(const layout::Layout& layout);

/// Sentences that explain how Heddle packs `count` elements.
std::vector<std::string> plan(const layout::Layout& layout, layout::Count count);

/// The kernels that pack and unpack `count` elements, with reasons, as
/// `{"parts": [{"kind", "pack", "unpack"}, ...], "more"}`. It lists the first few parts of a
/// struct. Data in one piece have no parts.
Json kernels(const layout::Layout& layout, layout::Count count);

/// The profile of this machine that the library would use. It is read once; complaints are printed
/// at that time.
const select::Loaded& profile();
/// The profile's place and source: {"file": its name or null, "source": the file's name or "built
/// in"}.
Json profile_file();

/// The schemes by which `count` elements go to a rank of the same node, with reasons, for each kind
/// of sender's memory. Throws grammar::Error, or runtime_error if the sizes do not fit.
/// @param to  The receiver's datatype, or empty.
explain::SchemeChoices schemes(const layout::Layout& layout, layout::Count count, const std::string& to);
Json told(const explain::SchemeChoices& schemes, const std::string& to);

struct GroupOptions {
  std::string description;   ///< A group in the grammar of group/text.hpp.
  std::size_t members = 64;  ///< The answer lists at most so many members.
};

/// The format of a group, and the bytes of the other formats. Throws TextError or invalid_argument.
Json explain_group(const GroupOptions& options);

/// The algorithm that a collective would take for these volumes, and the time of each algorithm.
/// The times come from the model of the choice, and from a walk over all ranks.
/// @throws std::invalid_argument
Json explain_collective(const std::string& description);

struct FileViewOptions {
  std::vector<std::string> views;  ///< The filetype of each rank, in the grammar of layout/grammar.hpp.
  layout::Count count = 1;         ///< Filetypes that each rank accesses, from byte 0 of the file on.
  engine::files::FileHints hints;  ///< As of MPI_File_open.
  std::size_t pieces = 64;         ///< The answer lists at most so many pieces of the file.
};

/// The plan of a collective access to a file: whether Heddle carries it, the reason, the owners,
/// and the first pieces of the file, as `{"ranks", "bytes", "low", "high", "write", "read",
/// "pieces": [{"offset", "length", "rank"}], "piece", "owners": [{"rank", "low", "high", "rounds",
/// "bytes": [of each rank]}]}`. Throws grammar::Error, invalid_argument or overflow_error.
Json explain_file_view(const FileViewOptions& options);

struct WindowOptions {
  std::string origin;       ///< The origin's datatype, in the grammar of layout/grammar.hpp.
  std::string target;       ///< The target's; empty: the same.
  layout::Count count = 1;  ///< Elements at the origin.
};

/// The ways of an MPI_Put or MPI_Get within a node, for each library and kind of window, as
/// `{"bytes", "off", "ways": [{"library", "window", "epoch", "way", "why"}]}`. "off":
/// HEDDLE_WINDOWS leaves all accesses to the library. Throws grammar::Error, overflow_error, or
/// runtime_error if the target's elements do not fit.
Json explain_window(const WindowOptions& options);

/// The build of this copy: `{"version", "commit", "compiler", "processor", "kernels", "fabric",
/// "built_for": {"mpich", ...}}`.
Json build();

/// A table for each choice of Heddle:
/// `{"room", "title", "choice", "rows": [{"name", "description", "when", ...}]}`.
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
  std::string output;     ///< The profile's file. Empty: the file that the library reads (HEDDLE_PROFILE).
  bool progress = false;  ///< Prints a line {"done": 0.25, "what": "..."} before each measurement.
  // The times of bench/links under each MPI library, ns (tool/tune/fit_links.hpp). Empty: not
  // measured.
  std::vector<double> mpich;
  std::vector<double> openmpi;
  // The fabric's provider, and the times of bench/links between two nodes
  // (tool/tune/fit_nodes.hpp). Empty: not measured.
  std::vector<std::string> mpich_nodes;
  std::vector<std::string> openmpi_nodes;
  bool add = false;  ///< Takes the other numbers from the existing profile, if it is of this machine.
};

/// Measures this machine and writes its profile.
/// @throws std::runtime_error
Json tune(const TuneOptions& options);

/// Runs bench/links. `library` is its build for the preloaded MPI, `words` its command line.
/// Returns its exit status.
/// @throws std::runtime_error  The library cannot be loaded.
int links(const std::string& library, const std::vector<std::string>& words);

/// Prints the estimated times of collectives on another machine (sim/estimate/): a line of JSON for
/// each task of the file. Throws invalid_argument or json::exception.
void estimate(const std::string& file);

/// Measures the search of a pipelined transpose (Balaji et al. 2007, figure 13), and the time of a
/// seek by its offset. Returns rows `{"bench", "case", "variant", "metric", "value", "unit", ...}`.
Json seek(const SeekOptions& options);

}  // namespace heddle::tool
