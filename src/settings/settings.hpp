// settings/settings.hpp: all HEDDLE_ environment variables, in one table that is read in one place.
// No MPI.
//
//   const settings::Settings set = settings::from_environment();
//   if (!set.enabled) return PMPI_Send(...);
//   for (const std::string& complaint : set.complaints) fprintf(stderr, "%s\n", complaint.c_str());   // rank 0, at MPI_Init
//
// A value that makes no sense is never fatal. The default then holds, and a complaint names the
// variable, the value and the allowed values.
// A new variable needs a row in variables.cpp, a member of Settings, and a line in read().
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/transport_table.hpp"

namespace heddle::settings {

enum class Reader { library, command_line };

/// One row of the table.
struct Variable {
  std::string_view name;
  std::string_view fallback;  ///< The default, as a user would write it; empty: not set.
  std::string_view values;    ///< The allowed values: "on|off", "bytes, with K, M or G".
  std::string_view meaning;
  Reader reader;
};

/// All variables, those of the library first.
std::span<const Variable> table();

enum class Isa { automatic, portable, avx2, avx512 };
enum class Scheme { automatic, native, bc_spup, rwg_up, p_rrs, multi_w, direct, both };
enum class Yield { automatic, on, off };
enum class Collectives { automatic, native };
enum class Watch { none, some, all };
enum class Messages { automatic, packed, native };
enum class Windows { automatic, on, off };
enum class FileAccess { automatic, on, off };
enum class Log { off, info, debug };
enum class Exchange { automatic, consensus, crystal, counts };

/// The word for HEDDLE_EXCHANGE: "consensus".
constexpr const char* name(Exchange exchange) noexcept {
  switch (exchange) {
    case Exchange::automatic:
      return "auto";
    case Exchange::consensus:
      return "consensus";
    case Exchange::crystal:
      return "crystal";
    case Exchange::counts:
      return "counts";
  }
  return "?";
}

/// Parameters of the crystal router (engine/collective/router.hpp).
struct Router {
  int radix = 0;                  ///< 0: the choice of a way sets it.
  int channels = 1;               ///< The rest of a bundle is split into so many messages.
  std::int64_t segment = 0;       ///< Bytes; 0: the rest in one piece.
  std::int64_t beside = 4 << 10;  ///< The router only announces messages of at least so many bytes. They go straight.
  bool copies = false;  ///< No message goes straight. Each round copies all messages from buffer to buffer, as in the original
                        ///< algorithm.

  /// Blocks of at least so many bytes are not bundled.
  [[nodiscard]] std::int64_t straight_from() const noexcept {
    return copies ? std::numeric_limits<std::int64_t>::max() : std::max<std::int64_t>(1, beside);
  }
  bool operator==(const Router&) const = default;
};

/// The variables that the library reads, with their types. The members' initial values are the
/// defaults of the table.
struct Settings {
  bool enabled = true;                               ///< HEDDLE
  Isa isa = Isa::automatic;                          ///< HEDDLE_ISA
  Messages messages = Messages::automatic;           ///< HEDDLE_MESSAGES
  Scheme scheme = Scheme::automatic;                 ///< HEDDLE_SCHEME
  std::int64_t rendezvous = 8 << 10;                 ///< HEDDLE_RENDEZVOUS, bytes
  bool contiguous = false;                           ///< HEDDLE_CONTIGUOUS
  std::int64_t segment = 0;                          ///< HEDDLE_SEGMENT, bytes; 0: auto
  transport::TransportSet transports;                ///< HEDDLE_TRANSPORTS
  std::int64_t node_memory = 256 << 20;              ///< HEDDLE_NODE_MEMORY, bytes
  std::string fabric = "auto";                       ///< HEDDLE_FABRIC, off, or a provider
  int nodes = 1;                                     ///< HEDDLE_NODES
  Collectives collectives = Collectives::automatic;  ///< HEDDLE_COLLECTIVES
  Exchange exchange = Exchange::automatic;           ///< HEDDLE_EXCHANGE
  Router router;                                     ///< HEDDLE_ROUTER
  std::string allgatherv = "auto";                   ///< HEDDLE_ALLGATHERV, a name of schedule::allgatherv(), or native
  std::string alltoallv = "auto";                    ///< HEDDLE_ALLTOALLV, a name of schedule::alltoallv(), or native
  bool trials = true;                                ///< HEDDLE_TRIALS
  bool mailboxes = true;                             ///< HEDDLE_MAILBOXES
  Windows windows = Windows::automatic;              ///< HEDDLE_WINDOWS
  FileAccess files = FileAccess::automatic;          ///< HEDDLE_FILES
  bool check = false;                                ///< HEDDLE_CHECK
  Watch watch = Watch::some;                         ///< HEDDLE_WATCH
  std::string profile = "auto";                      ///< HEDDLE_PROFILE, for select/profile_file.hpp
  std::string report;                                ///< HEDDLE_REPORT, a file; empty: none
  std::string trace;                                 ///< HEDDLE_TRACE, a file; empty: none
  std::string explain;                               ///< HEDDLE_EXPLAIN, names of datatypes or places; empty: none
  Log log = Log::off;                                ///< HEDDLE_LOG
  Yield yield = Yield::automatic;                    ///< HEDDLE_YIELD
  bool keep_heap = true;                             ///< HEDDLE_HEAP: the process keeps freed memory
  bool devices = true;                               ///< HEDDLE_DEVICES: buffers may be memory of a device
  int patience_s = 60;                               ///< HEDDLE_PATIENCE, seconds
  bool doctor = false;                               ///< HEDDLE_DOCTOR
  int verbose = 0;                                   ///< HEDDLE_VERBOSE
  std::int64_t pool_limit = std::int64_t{1} << 30;   ///< HEDDLE_POOL_LIMIT, bytes

  /// A line for each bad value, then a line for each unknown variable. Each is ready to print:
  /// "heddle: ..." without a newline.
  std::vector<std::string> complaints;
};

/// Reads an environment: `environment` is a null-terminated list of "NAME=value", as environ is.
Settings read(const char* const* environment);

/// Reads environ and the files that it names (files.hpp).
Settings from_environment();

/// A variable that ranks use to decide in collectives, so all ranks need the same value. Equal
/// values have equal texts.
struct Shared {
  std::string_view name;
  std::string value;
};
std::vector<Shared> shared(const Settings& set);

/// A value read from text, or a complaint that says what is wrong. The complaint follows the words
/// "NAME=text ".
template <class T>
struct Parsed {
  T value{};
  std::string complaint;  ///< Empty: no fault.
};

Parsed<bool> on_off(std::string_view text);                         ///< yes|no, on|off, 1|0, true|false; any case.
Parsed<Isa> isa(std::string_view text);                             ///< auto|portable|avx2|avx512; any case.
Parsed<Messages> messages(std::string_view text);                   ///< auto|packed|native; any case.
Parsed<Watch> watch(std::string_view text);                         ///< none|some|all; any case.
Parsed<Log> log(std::string_view text);                             ///< off|info|debug; any case.
Parsed<Windows> windows(std::string_view text);                     ///< auto, or as on_off().
Parsed<FileAccess> file_access(std::string_view text);              ///< auto, or as on_off().
Parsed<Collectives> collectives(std::string_view text);             ///< auto|native; any case.
Parsed<std::string> allgatherv(std::string_view text);              ///< auto|native|ring|...; any case.
Parsed<std::string> alltoallv(std::string_view text);               ///< auto|native|direct|...; any case.
Parsed<Exchange> exchange(std::string_view text);                   ///< auto|consensus|crystal|counts; any case.
Parsed<Router> router(std::string_view text);                       ///< auto, or a list of the parts of a Router, in any order.
Parsed<Yield> yield(std::string_view text);                         ///< auto, or as on_off().
Parsed<bool> heap(std::string_view text);                           ///< keep (true) or system (false); any case.
Parsed<bool> devices(std::string_view text);                        ///< auto (true) or none (false); any case.
Parsed<Scheme> scheme(std::string_view text);                       ///< auto|native|bc-spup|...; any case.
Parsed<std::int64_t> segment(std::string_view text);                ///< auto (0), or a power of two from 1K to 64K.
Parsed<transport::TransportSet> transports(std::string_view text);  ///< auto, or a list of transports, in any order and case.
Parsed<std::int64_t> node_memory(std::string_view text);            ///< bytes(), from 4M to 1T.
Parsed<std::string> fabric(std::string_view text);                  ///< auto, off, or a possible name of a provider; any case.
Parsed<std::string> file(std::string_view text);                    ///< Any text.
Parsed<int> integer(std::string_view text, int low, int high);      ///< A decimal number from low to high.
Parsed<std::int64_t> bytes(std::string_view text);  ///< 0 or more, with a power of 1024: "64M", "64MiB", "64 MB".

/// Variables that start with HEDDLE but are not in the table, each with the nearest name if one is
/// near.
struct Unknown {
  std::string name;
  std::string_view nearest;  ///< Empty: no name is near.
};
std::vector<Unknown> unknown(const char* const* environment);

}  // namespace heddle::settings
