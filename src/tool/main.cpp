// tool/main.cpp: heddle-tool, the native program behind parts of the command line. It knows
// datatypes, settings and this machine, but no MPI.
//
//   heddle-tool explain 'vector(128, 8, 4096, int)' [--count N] [--to TYPE] [--segments N] [--entries N] [--json]
//   heddle-tool group '0:90000:300' [--members N] [--json]
//   heddle-tool collective 'allgatherv: 32k, 63 x 8' [--json]
//   heddle-tool file-view TYPE ... [--count N] [--cb_nodes N] [--cb_buffer_size BYTES] [--striping_unit BYTES] [--json]
//   heddle-tool window TYPE [--to TYPE] [--count N] [--json]
//   heddle-tool algorithms [--json]
//   heddle-tool estimate TASKS.json
//   heddle-tool settings [--json]
//   heddle-tool profile [--json]
//   heddle-tool tune [--quick] [--output FILE] [--mpich NS ...] [--openmpi NS ...] [--progress] [--json]
//   heddle-tool links LIBRARY [WORD ...]
//   heddle-tool seek [--sizes N ...] [--segment BYTES] [--samples N] [--json]
//
// If it does not understand its arguments, it prints a line on stderr and exits with code 2. A
// caret marks a mistake in a description.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>

#include "group/text.hpp"
#include "layout/grammar.hpp"
#include "layout/kernel/kernels.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

int complain(const std::string& what) {
  std::cerr << "heddle: " << what << "\n";
  return 2;
}

/// The first line of a message.
std::string one_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void print_rows(const Json& rows) {
  for (const Json& row : rows) {
    std::cout << shown(row["case"]) << "  " << shown(row["variant"]) << "  " << shown(row["metric"]) << "  " << row["value"]
              << " " << shown(row["unit"]) << "\n";
  }
}

void print_tables(const Json& tables) {
  for (const Json& table : tables) {
    std::cout << shown(table["title"]) << ": " << shown(table["choice"]) << "\n";
    for (const Json& row : table["rows"]) {
      std::cout << "  " << shown(row["name"]) << ": " << shown(row["description"]) << "; " << shown(row["when"]) << "\n";
    }
  }
}

void print_settings(const Json& rows) {
  for (const Json& row : rows) {
    std::cout << shown(row["name"]) << " (" << shown(row["values"]) << "; default "
              << (shown(row["default"]).empty() ? "not set" : shown(row["default"])) << "; read by the "
              << shown(row["read_by"]) << "): " << shown(row["meaning"]) << "\n";
  }
}

bool parses(const std::string& description) try {
  return layout::grammar::parse(description) != nullptr;
} catch (const layout::grammar::Error&) {
  return false;
}

/// Applies HEDDLE_ISA to this program, too, and prints complaints about the environment.
void apply_settings() {
  using settings::Isa;
  const settings::Settings set = settings::from_environment();
  for (const std::string& complaint : set.complaints) std::cerr << complaint << "\n";
  namespace kernel = layout::kernel;
  if (set.isa == Isa::automatic) return;
  const kernel::Isa wanted = set.isa == Isa::avx512 ? kernel::Isa::avx512
                             : set.isa == Isa::avx2 ? kernel::Isa::avx2
                                                    : kernel::Isa::portable;
  if (!kernel::use(wanted)) {
    std::cerr << "heddle: this processor has no " << kernel::name(wanted) << "; using " << kernel::name(kernel::isa()) << "\n";
  }
}

int run(int argc, char** argv) {
  CLI::App app("Datatypes and settings of Heddle, for scripts. People use `heddle explain`, `heddle env` and others.");
  app.require_subcommand(1);
  bool json = false;

  ExplainOptions about;
  CLI::App* explaining = app.add_subcommand("explain", "Describe a datatype");
  explaining->add_option("description", about.description, "such as vector(128, 8, 4096, int)")->required();
  explaining->add_option("--count", about.count, "elements")
      ->check(CLI::Range(layout::Count{0}, std::numeric_limits<layout::Count>::max()));
  explaining->add_option("--to", about.to, "the receiver's datatype");
  explaining->add_option("--segments", about.segments, "list at most so many pieces")->check(CLI::Range(0, 1000000));
  explaining->add_option("--entries", about.entries, "list at most so many entries of the type map")
      ->check(CLI::Range(0, 1000000));
  explaining->add_flag("--json", json, "print JSON");

  GroupOptions members;
  CLI::App* grouping = app.add_subcommand("group", "The format of a group, and why");
  grouping->add_option("description", members.description, "such as 0:90000:300")->required();
  grouping->add_option("--members", members.members, "list at most so many")->check(CLI::Range(0, 1000000));
  grouping->add_flag("--json", json, "print JSON");

  std::string volumes;
  CLI::App* collecting = app.add_subcommand("collective", "The algorithm of a collective, and why");
  collecting->add_option("description", volumes, "such as allgatherv: 32k, 63 x 8")->required();
  collecting->add_flag("--json", json, "print JSON");

  FileViewOptions file;
  CLI::App* viewing = app.add_subcommand("file-view", "The ranks that access long pieces of a file in a collective access");
  viewing->add_option("views", file.views, "the filetype of each rank")->required();
  viewing->add_option("--count", file.count, "filetypes that each rank accesses")
      ->check(CLI::Range(layout::Count{1}, layout::Count{1} << 40));
  constexpr layout::Bytes most_hint = layout::Bytes{1} << 28;
  viewing->add_option("--cb_nodes", file.hints.owners, "the most owners")->check(CLI::Range(1, 1 << 20));
  viewing->add_option("--cb_buffer_size", file.hints.piece, "the most bytes of a piece")
      ->check(CLI::Range(layout::Bytes{1} << 16, most_hint));
  viewing->add_option("--striping_unit", file.hints.alignment, "pieces begin at multiples of it")
      ->check(CLI::Range(layout::Bytes{1}, most_hint));
  viewing->add_option("--pieces", file.pieces, "list at most so many")->check(CLI::Range(0, 1000000));
  viewing->add_flag("--json", json, "print JSON");

  WindowOptions window;
  CLI::App* accessing = app.add_subcommand("window", "The ways of an MPI_Put or MPI_Get for each kind of window");
  accessing->add_option("origin", window.origin, "the origin's datatype")->required();
  accessing->add_option("--to", window.target, "the target's datatype");
  accessing->add_option("--count", window.count, "elements")
      ->check(CLI::Range(layout::Count{0}, std::numeric_limits<layout::Count>::max()));
  accessing->add_flag("--json", json, "print JSON");

  CLI::App* choosing = app.add_subcommand("algorithms", "The algorithms, formats and protocols that Heddle chooses from");
  choosing->add_flag("--json", json, "print JSON");

  std::string tasks;
  CLI::App* estimating = app.add_subcommand("estimate", "Estimated times of collectives on another machine, as lines of JSON");
  estimating->add_option("tasks", tasks, "a file of JSON, written by heddle simulate")->required();

  CLI::App* listing = app.add_subcommand("settings", "Every HEDDLE_ variable");
  listing->add_flag("--json", json, "print JSON");

  CLI::App* finding = app.add_subcommand("profile", "The file of the machine's profile, which heddle tune writes");
  finding->add_flag("--json", json, "print JSON");

  CLI::App* telling = app.add_subcommand("build", "How this copy of Heddle was built");
  telling->add_flag("--json", json, "print JSON");

  TuneOptions tuning;
  CLI::App* measuring = app.add_subcommand("tune", "Measure the costs of moving bytes on this machine, and write a profile");
  measuring->add_flag("--quick", tuning.quick, "fewer repetitions");
  measuring->add_option("--output", tuning.output, "the file for the profile");
  measuring->add_option("--mpich", tuning.mpich, "times of bench/links under MPICH, ns");
  measuring->add_option("--openmpi", tuning.openmpi, "times of bench/links under Open MPI, ns");
  measuring->add_option("--mpich-nodes", tuning.mpich_nodes, "a provider of libfabric, and times of bench/links under MPICH")
      ->expected(9);
  measuring
      ->add_option("--openmpi-nodes", tuning.openmpi_nodes, "a provider of libfabric, and times of bench/links under Open MPI")
      ->expected(9);
  measuring->add_flag("--add", tuning.add, "take other numbers from the existing profile of this machine");
  measuring->add_flag("--progress", tuning.progress, "print a line of JSON before each measurement");
  measuring->add_flag("--json", json, "print JSON, on one line");

  std::string library;
  CLI::App* linking = app.add_subcommand("links", "Run bench/links, built for the preloaded MPI (for heddle tune)");
  linking->add_option("library", library, "libheddle_links_mpich.so or _openmpi.so")->required();
  linking->prefix_command();

  SeekOptions seeking;
  CLI::App* searching = app.add_subcommand("seek", "Search and packing time of a pipelined transpose, one and two contexts");
  searching->add_option("--sizes", seeking.sizes, "rows of the matrices")->check(CLI::Range(1, 8192));
  searching->add_option("--segment", seeking.segment, "bytes of a segment")->check(CLI::Range(24, 1 << 30));
  searching->add_option("--samples", seeking.samples, "repetitions")->check(CLI::Range(1, 1000));
  searching->add_flag("--json", json, "print JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    const bool nothing = app.get_subcommands().empty();
    return complain(nothing ? "name a command: explain, group, collective, file-view, window, algorithms, estimate, settings, "
                              "profile, build, tune, links or seek (see --help)"
                            : one_line(error.what()));
  }

  try {
    if (linking->parsed()) return links(library, linking->remaining());
    apply_settings();
    Json answer;
    if (estimating->parsed()) {
      estimate(tasks);
      return std::cout.good() ? 0 : complain("cannot write the answer");
    }
    if (explaining->parsed() && json) answer = explain(about);
    if (grouping->parsed()) answer = explain_group(members);
    if (collecting->parsed()) answer = explain_collective(volumes);
    if (viewing->parsed()) answer = explain_file_view(file);
    if (accessing->parsed()) answer = explain_window(window);
    if (choosing->parsed()) answer = algorithms();
    if (listing->parsed()) answer = settings_table();
    if (finding->parsed()) answer = profile_file();
    if (telling->parsed()) answer = build();
    if (searching->parsed()) answer = seek(seeking);
    if (measuring->parsed()) answer = tune(tuning);
    if (json && measuring->parsed()) {
      std::cout << answer.dump() << "\n";
    } else if (json) {
      std::cout << answer.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    } else if (explaining->parsed()) {
      for (const std::string& line : explain_in_lines(about)) std::cout << line << "\n";
    } else if (grouping->parsed()) {
      std::cout << shown(answer["size"]) << " members, " << shown(answer["why"]) << "\n";
    } else if (collecting->parsed()) {
      std::cout << shown(answer["why"]) << "\n";
    } else if (viewing->parsed()) {
      std::cout << "write: " << shown(answer["write"]["why"]) << "\nread: " << shown(answer["read"]["why"]) << "\n";
    } else if (accessing->parsed()) {
      for (const Json& one : answer["ways"])
        std::cout << shown(one["library"]) << ", " << shown(one["window"]) << ", " << shown(one["epoch"]) << ": "
                  << shown(one["way"]) << ": " << shown(one["why"]) << "\n";
    } else if (choosing->parsed()) {
      print_tables(answer);
    } else if (listing->parsed()) {
      print_settings(answer);
    } else if (finding->parsed()) {
      std::cout << shown(answer["source"]) << "\n";
    } else if (telling->parsed()) {
      std::cout << answer.dump(2) << "\n";
    } else if (measuring->parsed()) {
      std::cout << answer["profile"].dump(2) << "\n" << shown(answer["path"]) << "\n";
    } else {
      print_rows(answer);
    }
  } catch (const layout::grammar::Error& error) {
    // The mistake may be in either description.
    const bool of_receiver = !about.to.empty() && parses(about.description);
    const auto wrong = std::find_if_not(file.views.begin(), file.views.end(), parses);
    const std::string& text = wrong != file.views.end() ? *wrong : of_receiver ? about.to : about.description;
    std::cerr << "heddle: " << error.what() << "\n" << error.pointed(text) << "\n";
    return 2;
  } catch (const group::TextError& error) {
    const std::string caret(error.column() - 1, ' ');
    std::cerr << "heddle: " << error.what() << "\n" << one_line(members.description) << "\n" << caret << "^\n";
    return 2;
  } catch (const std::exception& error) {
    return complain(one_line(error.what()));
  }
  return std::cout.good() ? 0 : complain("cannot write the answer");
}

}  // namespace
}  // namespace heddle::tool

// NOLINTNEXTLINE(bugprone-exception-escape): an uncaught exception of run() ends the program
int main(int argc, char** argv) { return heddle::tool::run(argc, argv); }
