// settings/settings.cpp: the table of variables, and the reader of an environment.
#include "settings/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "settings/files.hpp"
#include "settings/lookup.hpp"
#include "text/nearest.hpp"

namespace heddle::settings {
namespace {

constexpr auto library = Reader::library;
constexpr auto command_line = Reader::command_line;

constexpr Variable rows[] = {
    {"HEDDLE", "on", "on|off", "off: every call goes straight to the MPI library", library},
    {"HEDDLE_ISA", "auto", "auto|portable|avx2|avx512",
     "instruction set of the packing kernels; auto: the widest that the processor has", library},
    {"HEDDLE_MESSAGES", "auto", "auto|packed|native",
     "point-to-point messages of derived datatypes. auto: Heddle packs a message if the MPI library would move it more "
     "slowly",
     library},
    {"HEDDLE_SCHEME", "auto", "auto|native|bc-spup|rwg-up|p-rrs|multi-w|direct|both",
     "how large messages with holes move within a node; native: by the MPI library", library},
    {"HEDDLE_RENDEZVOUS", "4K", "bytes, with K, M, G or T",
     "within a node, Heddle announces messages with holes of at least this size to their receiver. HEDDLE_SCHEME then moves "
     "them",
     library},
    {"HEDDLE_CONTIGUOUS", "on", "on|off",
     "on: Heddle also announces messages in one piece (32 KiB to 4 MiB) if the profile says that it moves them faster than "
     "the MPI library. off: only messages that their receiver scatters",
     library},
    {"HEDDLE_SEGMENT", "auto", "auto, or a power of two from 1K to 64K",
     "size of a segment. Sender and receiver can work on different segments of a message at the same time", library},
    {"HEDDLE_TRANSPORTS", "auto", "auto, or a list of self,mapped,cma,ring,mpi",
     "the ways to move bytes within a node that Heddle may use. auto: all of them. mpi, the MPI library, is always allowed",
     library},
    {"HEDDLE_NODE_MEMORY", "256M", "bytes from 4M to 1T, with K, M, G or T",
     "address space that each process reserves for messages within a node. Pages take memory at their first use", library},
    {"HEDDLE_FABRIC", "auto", "auto, off, or a provider of libfabric as fi_info names it",
     "how large messages with holes go to other nodes. A provider's name: by libfabric over this provider, even tcp. auto: "
     "over the fastest provider that is more than sockets, or else over a provider that was faster when heddle tune measured "
     "it. off: packed, through the MPI library",
     library},
    {"HEDDLE_NODES", "1", "a number from 1 to 1024",
     "for tests: Heddle treats the ranks of one node as those of so many nodes, without shared memory. All ranks need the "
     "same value",
     library},
    {"HEDDLE_COLLECTIVES", "auto", "auto|native",
     "auto: alltoall and neighbour collectives go by Heddle's own schedules, pair by pair. native: Heddle packs around the "
     "MPI library's own algorithms. All ranks need the same value",
     library},
    {"HEDDLE_EXCHANGE", "auto", "auto|consensus|crystal|counts",
     "algorithm by which the ranks of heddle_exchange learn their senders. All ranks need the same value", library},
    {"HEDDLE_ROUTER", "auto", "auto, or a list of radix=2..9, channels=1..8, segment=bytes, beside=bytes, copies",
     "the crystal router. radix: parts that each round splits the ranks into. channels: messages that carry one bundle at "
     "the same time. segment: the router sends a segment of this size while it packs the next. beside: the router only "
     "announces messages of at least this size, which go straight. copies: all messages are copied in each round, as in the "
     "original algorithm. All ranks need the same value",
     library},
    {"HEDDLE_ALLGATHERV", "auto", "auto|native|ring|recursive-doubling|dissemination|pipelined-ring|two-level",
     "algorithm of MPI_Allgatherv; heddle algorithms describes them. native: the MPI library's own. All ranks need the same "
     "value",
     library},
    {"HEDDLE_ALLTOALLV", "auto", "auto|native|direct|crystal|bruck|two-level|round-robin",
     "algorithm of MPI_Alltoallv and its relatives; heddle algorithms describes them. Blocks of at least beside= of "
     "HEDDLE_ROUTER always go straight. native: the MPI library's own. All ranks need the same value",
     library},
    {"HEDDLE_TRIALS", "on", "on|off",
     "on: each communicator tries alltoalls, MPI_Allgatherv and neighbour collectives Heddle's way and the MPI library's "
     "way in a few calls, and then keeps the faster way. off: Heddle's way, by its model. All ranks need the same value",
     library},
    {"HEDDLE_MAILBOXES", "on", "on|off",
     "on: ranks of a node put short blocks of alltoalls and neighbour collectives into shared memory. off: the MPI library "
     "sends these blocks as messages",
     library},
    {"HEDDLE_CHECK", "off", "on|off",
     "on: the ranks compare their plans in each collective that Heddle may carry. If the plans differ, for instance because "
     "counts do not match, the job ends with a message. All ranks need the same value",
     library},
    {"HEDDLE_WATCH", "some", "none|some|all",
     "how many announcements of messages within a node the sender watches. If the program receives a watched announcement "
     "past Heddle, the job ends with a message. some: the first to each rank, then one of 61",
     library},
    {"HEDDLE_PROFILE", "auto", "auto, builtin, or a file",
     "costs of moving bytes on this machine, measured by heddle tune. auto: the file that heddle tune writes, or else "
     "/etc/heddle/profile.json",
     library},
    {"HEDDLE_REPORT", "", "a file; %h host, %p process, %j job, %r rank of the writer",
     "rank 0 writes a report into this file at MPI_Finalize: the messages by scheme, and the time of each call. With "
     "HEDDLE=off the report has only the times of calls. heddle report shows the file",
     library},
    {"HEDDLE_TRACE", "", "a file, with %r for the rank",
     "at MPI_Finalize rank 0 writes a timeline of all ranks' calls into this file, for Perfetto and chrome://tracing. If "
     "the name has %r, each rank writes its own file. The timeline has the first 131,072 calls of each rank",
     library},
    {"HEDDLE_EXPLAIN", "", "a datatype's name, a function, FILE:LINE or MODULE+OFFSET; several, separated by commas; all",
     "rank 0 prints the lines of heddle explain on stderr for each datatype of this name, or used at this place, at its "
     "first use",
     library},
    {"HEDDLE_YIELD", "auto", "auto|on|off",
     "on: waiting ranks give their core to others. auto: on if a node has more ranks than cores", library},
    {"HEDDLE_HEAP", "keep", "keep|system",
     "keep: malloc keeps up to 64 MiB of freed memory in each process. Programs that free arrays in each step then fault no "
     "pages in again. system: Heddle leaves malloc alone",
     library},
    {"HEDDLE_DEVICES", "auto", "auto|none",
     "auto: Heddle is off if the MPI library takes memory of accelerators and their driver is loaded, because Heddle cannot "
     "read such memory. none: the program has no such buffers, and Heddle is on",
     library},
    {"HEDDLE_PATIENCE", "60", "seconds, from 1 to 3600",
     "how long a rank waits in MPI_Init for ranks that start late. If a rank has not answered by then, it runs without "
     "Heddle and the job ends with a message",
     library},
    {"HEDDLE_VERBOSE", "0", "0|1",
     "1: each process says at start what it runs on, which parts of Heddle are not in effect, and why", library},
    {"HEDDLE_DOCTOR", "off", "on|off",
     "on: Heddle says at the end of MPI_Init which parts of it are in effect, and ends the process before the program's own "
     "work. heddle doctor -- PROGRAM sets this variable",
     library},
    {"HEDDLE_POOL_LIMIT", "1G", "bytes, with K, M, G or T",
     "staging buffers that a process may keep between calls. Heddle allocates and frees anything beyond", library},
    {"HEDDLE_CONFIG", "", "a file, or none",
     "file with settings, a line NAME=VALUE each, instead of ~/.config/heddle/heddle.conf. The environment overrides this "
     "file, and this file overrides /etc/heddle/heddle.conf. none: Heddle reads neither file",
     command_line},
    {"HEDDLE_CACHE", "", "a file, or off",
     "file in which heddle run remembers facts about programs and launchers (by default found.json in ~/.cache/heddle)",
     command_line},
    {"HEDDLE_PYTHON", "", "an interpreter", "the Python that runs the installed heddle command, instead of python3",
     command_line},
    {"HEDDLE_LIB_MPICH", "", "a file", "set by the module file: the library to preload under MPICH and its ABI family",
     command_line},
    {"HEDDLE_LIB_OPENMPI", "", "a file", "set by the module file: the library to preload under Open MPI", command_line},
    {"HEDDLE_LIB_ABI", "", "a file", "set by the module file: the library to preload under the MPI standard ABI", command_line},
    {"HEDDLE_MPI_PATH", "", "folders, separated by ':'",
     "more folders in which heddle looks for MPI installations (each with bin/mpiexec)", command_line},
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

const Variable& row(std::string_view name) { return *std::ranges::find(rows, name, &Variable::name); }

/// Parses one of the words that the table allows for `name`.
Parsed<std::string> algorithm(std::string_view name, std::string_view text) {
  const std::string word = lower(text);
  const std::string all = '|' + std::string(row(name).values) + '|';
  if (!word.empty() && word.find('|') == std::string::npos && all.find('|' + word + '|') != std::string::npos)
    return {word, {}};
  return {"auto", "is no algorithm"};
}

}  // namespace

std::optional<std::string_view> find(const char* const* environment, std::string_view name) {
  for (; environment && *environment; ++environment) {
    const std::string_view line = *environment;
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=') return line.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::string shown(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : ""); }

std::string_view nearest_name(std::string_view name) {
  std::string upper_case(name);
  for (char& c : upper_case)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::vector<std::string_view> names;
  names.reserve(std::size(rows));
  for (const Variable& variable : rows) names.push_back(variable.name);
  return text::nearest(upper_case, names, std::string_view("HEDDLE_").size());
}

std::span<const Variable> table() { return rows; }

Parsed<bool> on_off(std::string_view text) {
  const std::string word = lower(text);
  if (word == "on" || word == "1" || word == "yes" || word == "true") return {true, {}};
  if (word == "off" || word == "0" || word == "no" || word == "false") return {false, {}};
  return {false, "is neither on nor off"};
}

Parsed<Isa> isa(std::string_view text) {
  const std::string word = lower(text);
  if (word == "auto") return {Isa::automatic, {}};
  if (word == "portable") return {Isa::portable, {}};
  if (word == "avx2") return {Isa::avx2, {}};
  if (word == "avx512") return {Isa::avx512, {}};
  return {Isa::automatic, "is no instruction set that Heddle has kernels for"};
}

Parsed<Messages> messages(std::string_view text) {
  const std::string word = lower(text);
  if (word == "auto") return {Messages::automatic, {}};
  if (word == "packed") return {Messages::packed, {}};
  if (word == "native") return {Messages::native, {}};
  return {Messages::automatic, "is no way to send a message"};
}

Parsed<Watch> watch(std::string_view text) {
  const std::string word = lower(text);
  if (word == "none") return {Watch::none, {}};
  if (word == "some") return {Watch::some, {}};
  if (word == "all") return {Watch::all, {}};
  return {Watch::some, "is neither none, some nor all"};
}

Parsed<Collectives> collectives(std::string_view text) {
  const std::string word = lower(text);
  if (word == "auto") return {Collectives::automatic, {}};
  if (word == "native") return {Collectives::native, {}};
  return {Collectives::automatic, "is neither auto nor native"};
}

Parsed<Exchange> exchange(std::string_view text) {
  const std::string word = lower(text);
  for (const Exchange one : {Exchange::automatic, Exchange::consensus, Exchange::crystal, Exchange::counts})
    if (word == name(one)) return {one, {}};
  return {Exchange::automatic, "is no way to exchange"};
}

Parsed<Router> router(std::string_view text) {
  Router router;
  const std::string words = lower(text);
  if (words == "auto") return {router, {}};
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string_view word = std::string_view(words).substr(begin, end - begin);
    const std::string_view value = word.substr(std::min(word.find('='), word.size() - 1) + 1);
    std::string complaint;
    const auto take = [&complaint](auto& to, auto parsed) {
      to = parsed.value;
      complaint = parsed.complaint;
    };
    if (word == "copies")
      router.copies = true;
    else if (word.starts_with("radix="))
      take(router.radix, integer(value, 2, 9));
    else if (word.starts_with("channels="))
      take(router.channels, integer(value, 1, 8));
    else if (word.starts_with("segment="))
      take(router.segment, bytes(value));
    else if (word.starts_with("beside="))
      take(router.beside, bytes(value));
    else
      complaint = "has a part that is neither radix=, channels=, segment=, beside= nor copies";
    if (!complaint.empty()) return {{}, complaint};
    begin = end + 1;
  }
  return {router, {}};
}

Parsed<std::string> allgatherv(std::string_view text) { return algorithm("HEDDLE_ALLGATHERV", text); }
Parsed<std::string> alltoallv(std::string_view text) { return algorithm("HEDDLE_ALLTOALLV", text); }

Parsed<Yield> yield(std::string_view text) {
  if (lower(text) == "auto") return {Yield::automatic, {}};
  auto [on, complaint] = on_off(text);
  return {on ? Yield::on : Yield::off, complaint.empty() ? "" : "is neither auto, on nor off"};
}

Parsed<bool> devices(std::string_view text) {
  const std::string word = lower(text);
  return {word != "none", word == "auto" || word == "none" ? "" : "is neither auto nor none"};
}

Parsed<bool> heap(std::string_view text) {
  const std::string word = lower(text);
  return {word != "system", word == "keep" || word == "system" ? "" : "is neither keep nor system"};
}

Parsed<Scheme> scheme(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Scheme>, 8> names = {{{"auto", Scheme::automatic},
                                                                                {"native", Scheme::native},
                                                                                {"bc-spup", Scheme::bc_spup},
                                                                                {"rwg-up", Scheme::rwg_up},
                                                                                {"p-rrs", Scheme::p_rrs},
                                                                                {"multi-w", Scheme::multi_w},
                                                                                {"direct", Scheme::direct},
                                                                                {"both", Scheme::both}}};
  const std::string word = lower(text);
  for (const auto& [name, value] : names)
    if (word == name) return {value, {}};
  return {Scheme::automatic, "is no scheme"};
}

Parsed<std::int64_t> segment(std::string_view text) {
  if (lower(text) == "auto") return {0, {}};
  auto parsed = bytes(text);
  if (!parsed.complaint.empty()) return parsed;
  const std::int64_t value = parsed.value;
  if (value < 1 << 10 || value > 64 << 10 || (value & (value - 1)) != 0) return {0, "is no power of two from 1K to 64K"};
  return parsed;
}

Parsed<Transports> transports(std::string_view text) {
  std::string list = lower(text);
  std::erase(list, ' ');
  if (list == "auto") return {{}, {}};
  Transports chosen{.self = false, .mapped = false, .cma = false, .ring = false};
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view word = std::string_view(list).substr(at, end - at);
    if (word == "self")
      chosen.self = true;
    else if (word == "mapped")
      chosen.mapped = true;
    else if (word == "cma")
      chosen.cma = true;
    else if (word == "ring")
      chosen.ring = true;
    else if (word != "mpi")
      return {{}, "names an unknown transport"};
    at = end + 1;
  }
  return {chosen, {}};
}

Parsed<std::int64_t> node_memory(std::string_view text) {
  auto parsed = bytes(text);
  if (!parsed.complaint.empty()) return parsed;
  if (parsed.value < std::int64_t{4} << 20) return {0, "is too small"};
  if (parsed.value > std::int64_t{1} << 40) return {0, "is too large"};
  return parsed;
}

Parsed<std::string> fabric(std::string_view text) {
  const std::string word = lower(text);
  if (word.empty() || word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_;-") != std::string::npos)
    return {"auto", "is no provider's name"};
  return {word, {}};
}

Parsed<std::string> file(std::string_view text) { return {std::string(text), {}}; }

Parsed<int> integer(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return {low, "is out of range"};
  if (error != std::errc{} || end != text.data() + text.size()) return {low, "is not a number"};
  if (value < low || value > high) return {low, "is out of range"};
  return {value, {}};
}

Parsed<std::int64_t> bytes(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return {0, "is too large"};
  if (error != std::errc{}) return {0, "is not a number of bytes"};
  if (value < 0) return {0, "is negative"};

  std::string unit = lower(text.substr(static_cast<std::size_t>(end - text.data())));
  if (unit.starts_with(' ')) unit.erase(0, 1);
  static constexpr std::array<std::string_view, 5> prefixes = {"", "k", "m", "g", "t"};
  for (std::size_t power = 0; power < prefixes.size(); ++power) {
    const std::string prefix(prefixes[power]);
    if (unit != prefix && unit != prefix + "b" && (power == 0 || unit != prefix + "ib")) continue;
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(value, std::int64_t{1} << (10 * power), &scaled)) return {0, "is too large"};
    return {scaled, {}};
  }
  return {0, "has an unknown unit"};
}

std::vector<Unknown> unknown(const char* const* environment) {
  std::vector<Unknown> result;
  for (; environment && *environment; ++environment) {
    const std::string_view line = *environment;
    const std::string_view name = line.substr(0, line.find('='));
    if (name != "HEDDLE" && !name.starts_with("HEDDLE_")) continue;
    if (std::ranges::find(rows, name, &Variable::name) != std::end(rows)) continue;
    result.push_back({std::string(name), nearest_name(name)});
  }
  return result;
}

Settings read(const char* const* environment) { return read(environment, Files{}); }

Settings read(const char* const* environment, const Files& files) {
  Settings set;
  const auto take = [&](std::string_view name, auto parse, auto& target) {
    const auto found = source(environment, files, name);
    if (!found) return;
    auto parsed = parse(std::string_view(found->value));
    if (parsed.complaint.empty()) {
      target = parsed.value;
      return;
    }
    const Variable& variable = row(name);
    const std::string place = found->from == "environment" ? "" : found->from + ": ";
    set.complaints.push_back("heddle: " + place + std::string(name) + "=" + shown(found->value) + " " + parsed.complaint +
                             "; using " + std::string(variable.fallback) + ". Allowed: " + std::string(variable.values) + ".");
  };
  take("HEDDLE", on_off, set.enabled);
  take("HEDDLE_ISA", isa, set.isa);
  take("HEDDLE_MESSAGES", messages, set.messages);
  take("HEDDLE_SCHEME", scheme, set.scheme);
  take("HEDDLE_RENDEZVOUS", bytes, set.rendezvous);
  take("HEDDLE_CONTIGUOUS", on_off, set.contiguous);
  take("HEDDLE_SEGMENT", segment, set.segment);
  take("HEDDLE_FABRIC", fabric, set.fabric);
  take(
      "HEDDLE_NODES", [](std::string_view text) { return integer(text, 1, 1024); }, set.nodes);
  take("HEDDLE_COLLECTIVES", collectives, set.collectives);
  take("HEDDLE_EXCHANGE", exchange, set.exchange);
  take("HEDDLE_ROUTER", router, set.router);
  take("HEDDLE_ALLGATHERV", allgatherv, set.allgatherv);
  take("HEDDLE_ALLTOALLV", alltoallv, set.alltoallv);
  take("HEDDLE_TRIALS", on_off, set.trials);
  take("HEDDLE_MAILBOXES", on_off, set.mailboxes);
  take("HEDDLE_CHECK", on_off, set.check);
  take("HEDDLE_WATCH", watch, set.watch);
  take("HEDDLE_PROFILE", file, set.profile);
  take("HEDDLE_REPORT", file, set.report);
  take("HEDDLE_TRACE", file, set.trace);
  take("HEDDLE_EXPLAIN", file, set.explain);
  take(
      "HEDDLE_VERBOSE", [](std::string_view text) { return integer(text, 0, 1); }, set.verbose);
  take("HEDDLE_DOCTOR", on_off, set.doctor);
  take(
      "HEDDLE_PATIENCE", [](std::string_view text) { return integer(text, 1, 3600); }, set.patience_s);
  take("HEDDLE_TRANSPORTS", transports, set.transports);
  take("HEDDLE_NODE_MEMORY", node_memory, set.node_memory);
  take("HEDDLE_YIELD", yield, set.yield);
  take("HEDDLE_HEAP", heap, set.keep_heap);
  take("HEDDLE_DEVICES", devices, set.devices);
  take("HEDDLE_POOL_LIMIT", bytes, set.pool_limit);
  set.complaints.insert(set.complaints.end(), files.complaints.begin(), files.complaints.end());
  for (const Unknown& stray : unknown(environment))
    set.complaints.push_back(
        "heddle: no variable is called " + shown(stray.name) + "; it has no effect. " +
        (stray.nearest.empty() ? std::string("`heddle env` lists them.") : "Did you mean " + std::string(stray.nearest) + "?"));
  return set;
}

std::vector<Shared> shared(const Settings& set) {
  const Router& router = set.router;
  std::string parts = router.copies ? "copies" : "";
  for (const std::int64_t part : {std::int64_t{router.radix}, std::int64_t{router.channels}, router.segment, router.beside})
    parts += ',' + std::to_string(part);
  return {{"HEDDLE_ALLGATHERV", set.allgatherv},
          {"HEDDLE_ALLTOALLV", set.alltoallv},
          {"HEDDLE_TRIALS", set.trials ? "on" : "off"},
          {"HEDDLE_ROUTER", parts},
          {"HEDDLE_CHECK", set.check ? "on" : "off"}};
}

Settings from_environment() { return read(environ, files_of(environ)); }

}  // namespace heddle::settings
