// settings/settings.cpp: reads each variable with its parser, and complains about values that have
// no meaning.
#include "settings/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "settings/files.hpp"
#include "settings/lookup.hpp"
#include "text/nearest.hpp"

namespace heddle::settings {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

const Variable& row(std::string_view name) {
  const std::span<const Variable> rows = table();
  return *std::ranges::find(rows, name, &Variable::name);
}

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
  names.reserve(std::size(table()));
  for (const Variable& variable : table()) names.push_back(variable.name);
  return text::nearest(upper_case, names, std::string_view("HEDDLE_").size());
}

Parsed<bool> on_off(std::string_view text) {
  const std::string word = lower(text);
  if (word == "on" || word == "1" || word == "yes" || word == "true") return {true, {}};
  if (word == "off" || word == "0" || word == "no" || word == "false") return {false, {}};
  return {false, "is neither on nor off"};
}

namespace {

template <class Value>
using Words = std::initializer_list<std::pair<std::string_view, Value>>;

/// The value of a word. @param fallback  The value for all other texts, with the complaint.
template <class Value>
Parsed<Value> one_of(std::string_view text, Words<std::type_identity_t<Value>> words, Value fallback, const char* complaint) {
  const std::string word = lower(text);
  for (const auto& [name, value] : words)
    if (word == name) return {value, {}};
  return {fallback, complaint};
}

/// Parses an enumeration of automatic, on and off.
template <class Value>
Parsed<Value> auto_on_off(std::string_view text) {
  if (lower(text) == "auto") return {Value::automatic, {}};
  auto [on, complaint] = on_off(text);
  if (!complaint.empty()) return {Value::automatic, "is neither auto, on nor off"};
  return {on ? Value::on : Value::off, {}};
}

}  // namespace

Parsed<Isa> isa(std::string_view text) {
  return one_of(text, {{"auto", Isa::automatic}, {"portable", Isa::portable}, {"avx2", Isa::avx2}, {"avx512", Isa::avx512}},
                Isa::automatic, "is no instruction set that Heddle has kernels for");
}

Parsed<Messages> messages(std::string_view text) {
  return one_of(text, {{"auto", Messages::automatic}, {"packed", Messages::packed}, {"native", Messages::native}},
                Messages::automatic, "is no way to send a message");
}

Parsed<Watch> watch(std::string_view text) {
  return one_of(text, {{"none", Watch::none}, {"some", Watch::some}, {"all", Watch::all}}, Watch::some,
                "is neither none, some nor all");
}

Parsed<Log> log(std::string_view text) {
  return one_of(text, {{"off", Log::off}, {"info", Log::info}, {"debug", Log::debug}}, Log::off,
                "is neither off, info nor debug");
}

Parsed<Windows> windows(std::string_view text) { return auto_on_off<Windows>(text); }

Parsed<FileAccess> file_access(std::string_view text) { return auto_on_off<FileAccess>(text); }

Parsed<Collectives> collectives(std::string_view text) {
  return one_of(text, {{"auto", Collectives::automatic}, {"native", Collectives::native}}, Collectives::automatic,
                "is neither auto nor native");
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

Parsed<Yield> yield(std::string_view text) { return auto_on_off<Yield>(text); }

Parsed<bool> devices(std::string_view text) {
  const std::string word = lower(text);
  return {word != "none", word == "auto" || word == "none" ? "" : "is neither auto nor none"};
}

Parsed<bool> heap(std::string_view text) {
  const std::string word = lower(text);
  return {word != "system", word == "keep" || word == "system" ? "" : "is neither keep nor system"};
}

Parsed<Scheme> scheme(std::string_view text) {
  return one_of(text,
                {{"auto", Scheme::automatic},
                 {"native", Scheme::native},
                 {"bc-spup", Scheme::bc_spup},
                 {"rwg-up", Scheme::rwg_up},
                 {"p-rrs", Scheme::p_rrs},
                 {"multi-w", Scheme::multi_w},
                 {"direct", Scheme::direct},
                 {"both", Scheme::both}},
                Scheme::automatic, "is no scheme");
}

Parsed<std::int64_t> segment(std::string_view text) {
  if (lower(text) == "auto") return {0, {}};
  auto parsed = bytes(text);
  if (!parsed.complaint.empty()) return parsed;
  const std::int64_t value = parsed.value;
  if (value < 1 << 10 || value > 64 << 10 || (value & (value - 1)) != 0) return {0, "is no power of two from 1K to 64K"};
  return parsed;
}

Parsed<transport::TransportSet> transports(std::string_view text) {
  std::string list = lower(text);
  std::erase(list, ' ');
  if (list == "auto") return {{}, {}};
  transport::TransportSet chosen = transport::TransportSet::none();
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const transport::TransportEntry* const entry = transport::find(std::string_view(list).substr(at, end - at));
    if (!entry) return {{}, "names an unknown transport"};
    chosen.add(*entry);
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
  const std::span<const Variable> rows = table();
  for (; environment && *environment; ++environment) {
    const std::string_view line = *environment;
    const std::string_view name = line.substr(0, line.find('='));
    if (name != "HEDDLE" && !name.starts_with("HEDDLE_")) continue;
    if (std::ranges::find(rows, name, &Variable::name) != rows.end()) continue;
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
  take("HEDDLE_WINDOWS", windows, set.windows);
  take("HEDDLE_FILES", file_access, set.files);
  take("HEDDLE_CHECK", on_off, set.check);
  take("HEDDLE_WATCH", watch, set.watch);
  take("HEDDLE_PROFILE", file, set.profile);
  take("HEDDLE_REPORT", file, set.report);
  take("HEDDLE_TRACE", file, set.trace);
  take("HEDDLE_EXPLAIN", file, set.explain);
  take("HEDDLE_LOG", log, set.log);
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
