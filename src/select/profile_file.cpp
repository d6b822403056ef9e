// select/profile_file.cpp: reads and writes a profile's file. No other file knows its form.
#include "select/profile_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace heddle::select {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr std::size_t largest = 64 << 10;  // bytes; a profile has less than four thousand

struct Number {
  const char* group;
  const char* name;
  double Profile::*value;
};
constexpr std::array numbers = {
    Number{"process_vm_readv", "call_ns", &Profile::call},
    Number{"process_vm_readv", "remote_entry_ns", &Profile::remote_entry},
    Number{"process_vm_readv", "local_entry_ns", &Profile::local_entry},
    Number{"process_vm_readv", "byte_ns", &Profile::read},
    Number{"mapped_memory", "lone_line_of_other_core_ns", &Profile::line},
    Number{"mapped_memory", "lone_line_of_own_ns", &Profile::own_line},
    Number{"mapped_memory", "byte_from_other_core_ns", &Profile::fetch},
    Number{"mapped_memory", "byte_in_own_memory_ns", &Profile::copy},
    Number{"mapped_memory", "handover_ns", &Profile::handover},
    Number{"mapped_memory", "announcement_ns", &Profile::handshake},
};

template <class Of, class Value>
struct Named {
  const char* name;
  Value Of::*value;
};
using NamedCurve = Named<Profile, Curve>;
/// Costs of messages by a host. Each host has its own group in the file.
struct NamedLinks : Named<Profile, Links> {
  Curve Profile::*holes;
};
using LinkNumber = Named<Link, double>;
using SharedNumber = Named<Links, double>;

constexpr std::array curves = {
    NamedCurve{"pack_ns_per_byte", &Profile::pack},
    NamedCurve{"unpack_ns_per_byte", &Profile::unpack},
    NamedCurve{"pack_by_columns_ns_per_byte", &Profile::transposed},
    NamedCurve{"move_ns_per_byte", &Profile::move},
    NamedCurve{"move_by_columns_ns_per_byte", &Profile::move_transposed},
};

using NodeNumber = Named<BetweenNodes, double>;
/// A file lacks hosts that were not measured.
constexpr std::array nodes_of_hosts = {
    Named<Profile, BetweenNodes>{"between_nodes_by_mpich", &Profile::mpich_nodes},
    Named<Profile, BetweenNodes>{"between_nodes_by_openmpi", &Profile::openmpi_nodes},
};
constexpr std::array node_numbers = {
    NodeNumber{"message_ns", &BetweenNodes::message},
    NodeNumber{"message_byte_ns", &BetweenNodes::byte},
    NodeNumber{"fabric_greeting_ns", &BetweenNodes::greeting},
    NodeNumber{"fabric_segment_ns", &BetweenNodes::segment},
    NodeNumber{"fabric_operation_ns", &BetweenNodes::operation},
    NodeNumber{"fabric_byte_ns", &BetweenNodes::fabric_byte},
};
constexpr const char* provider = "fabric_provider";

/// A file has only the hosts that were measured.
constexpr std::array hosts = {
    NamedLinks{{"messages_of_mpich", &Profile::mpich}, &Profile::mpich_holes},
    NamedLinks{{"messages_of_openmpi", &Profile::openmpi}, &Profile::openmpi_holes},
};
constexpr const char* with_holes = "with_holes_ns_per_byte";     // missing in a host's group: not measured
constexpr const char* between_nodes = "messages_between_nodes";  // may be written by hand, for all hosts

constexpr const char* kernels = "packing_kernels";  // names as in layout/kernel/thresholds.hpp

constexpr std::array link_numbers = {
    LinkNumber{"one_ns", &Link::latency},
    LinkNumber{"further_ns", &Link::message},
    LinkNumber{"byte_ns", &Link::byte},
};
constexpr std::array shared_numbers = {
    SharedNumber{"shared_core_turn_ns", &Links::turn},
    SharedNumber{"shared_core_message_ns", &Links::shared},
    SharedNumber{"shared_core_bundles_ns", &Links::regroup},
};

std::string key(int length) { return fmt::format("{} B", length); }

/// Rounds to four digits, because more are noise.
double rounded(double value) { return value == 0 ? 0 : std::stod(fmt::format("{:.4g}", value)); }

/// Reads a number that the file must have. Otherwise it throws std::runtime_error with the place.
double number(const Json& from, const char* group, const std::string& name) {
  const auto of = from.find(group);
  if (of == from.end() || !of->is_object()) throw std::runtime_error(fmt::format("it has no {}", group));
  const auto at = of->find(name);
  if (at == of->end() || !at->is_number()) throw std::runtime_error(fmt::format("{} has no number {}", group, name));
  return at->get<double>();
}

/// Reads thresholds. An older profile may lack some of them.
void read_thresholds(const Json& json, layout::kernel::Thresholds& thresholds) {
  const auto group = json.find(kernels);
  if (group == json.end()) return;
  if (!group->is_object()) throw std::runtime_error(fmt::format("{} is no group of numbers", kernels));
  for (const layout::kernel::ThresholdEntry& one : layout::kernel::threshold_table) {
    const auto at = group->find(one.name);
    if (at == group->end()) continue;
    if (!at->is_number_integer()) throw std::runtime_error(fmt::format("{} has no whole number {}", kernels, one.name));
    // A number beyond 2^62 counts as absurd.
    thresholds.*one.value =
        at->is_number_unsigned() && at->get<std::uint64_t>() > std::uint64_t{1} << 62 ? -1 : at->get<std::int64_t>();
  }
  for (const auto& [name, value] : group->items())
    if (std::ranges::find(layout::kernel::threshold_table, name, &layout::kernel::ThresholdEntry::name) ==
        std::end(layout::kernel::threshold_table))
      throw std::runtime_error(fmt::format("{} has no threshold called {}", kernels, name.substr(0, 60)));
}

/// Reads the costs between nodes. An older profile, or a profile of a single node, lacks them.
void read_nodes(const Json& json, Profile& profile) {
  for (const auto& [name, nodes] : nodes_of_hosts) {
    if (!json.contains(name)) continue;
    BetweenNodes read;
    for (const NodeNumber& n : node_numbers) read.*n.value = number(json, name, n.name);
    const auto of = json[name].find(provider);
    if (of == json[name].end() || !of->is_string() || !read.set_name(of->get<std::string>()) || !read.measured())
      throw std::runtime_error(fmt::format("{} has no {} of 1 to {} letters", name, provider, read.provider.size() - 1));
    profile.*nodes = read;
  }
}

std::string text(const Json& from, const char* name) {
  const auto at = from.find(name);
  return at != from.end() && at->is_string() ? at->get<std::string>().substr(0, 100) : "unknown";
}

/// Reads a profile. Throws the reason if there is a fault.
Profile read(const Json& json, const Machine& here) {
  if (!json.is_object() || !json.contains("heddle_profile")) throw std::runtime_error("it is no profile of Heddle");
  const Json& written = json["heddle_profile"];
  if (!written.is_number_integer() || written.get<long>() != version)
    throw std::runtime_error(fmt::format("it is of version {}, and this Heddle reads version {}", written.dump(), version));
  const Json machine = json.value("machine", Json::object());
  const Json cores = machine.is_object() ? machine.value("cores", Json()) : Json();
  const Machine of{text(machine, "processor"), cores.is_number_integer() ? cores.get<int>() : 0};
  if (of != here)
    throw std::runtime_error(fmt::format("it was made on another machine ({}, {} cores; this is {}, {} cores)", of.processor,
                                         of.cores, here.processor, here.cores));
  Profile profile;
  for (const Number& n : numbers) profile.*n.value = number(json, n.group, n.name);
  for (const NamedCurve& curve : curves)
    for (std::size_t i = 0; i < Curve::points; ++i)
      (profile.*curve.value).ns[i] = number(json, curve.name, key(Curve::lengths[i]));
  for (const NamedLinks& host : hosts) {
    if (!json.contains(host.name)) continue;
    Links& links = profile.*host.value;
    for (const LinkNumber& n : link_numbers) links.node.*n.value = number(json, host.name, n.name);
    for (const SharedNumber& n : shared_numbers) links.*n.value = number(json, host.name, n.name);
    if (!json[host.name].contains(with_holes)) continue;
    for (std::size_t i = 0; i < Curve::points; ++i)
      (profile.*host.holes).ns[i] = number(json[host.name], with_holes, key(Curve::lengths[i]));
  }
  if (json.contains(between_nodes))
    for (const NamedLinks& host : hosts)
      for (const LinkNumber& n : link_numbers) (profile.*host.value).network.*n.value = number(json, between_nodes, n.name);
  read_nodes(json, profile);
  read_thresholds(json, profile.kernels);
  if (const std::string wrong = absurd(profile); !wrong.empty()) throw std::runtime_error(wrong);
  return profile;
}

Loaded refused(const std::string& name, const std::string& why) {
  Loaded loaded;
  loaded.complaint =
      fmt::format("the profile {} is not used: {}. The built-in profile holds. `heddle tune` makes a profile for this machine.",
                  name.substr(0, 200), why);
  return loaded;
}

}  // namespace

Machine this_machine() {
  Machine machine{"unknown", static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      machine.processor = line.substr(line.find(": ") + 2, 100);
      break;
    }
  return machine;
}

std::string write(const Profile& profile, const Machine& machine, std::string_view made) {
  Json json = {
      {"heddle_profile", version},
      {"comment",
       "The costs of moving bytes on this machine, measured by `heddle tune`. By these costs Heddle chooses how a message with "
       "holes moves within a node, which kernel packs it, and which algorithm a collective takes. Times are in nanoseconds. "
       "You "
       "may edit them to try other choices (`heddle explain` gives the reasons)."},
      {"made", made},
      {"machine", {{"processor", machine.processor}, {"cores", machine.cores}}},
  };
  for (const Number& n : numbers) json[n.group][n.name] = rounded(profile.*n.value);
  for (const NamedCurve& curve : curves)
    for (std::size_t i = 0; i < Curve::points; ++i)
      json[curve.name][key(Curve::lengths[i])] = rounded((profile.*curve.value).ns[i]);
  for (const layout::kernel::ThresholdEntry& one : layout::kernel::threshold_table)
    json[kernels][one.name] = profile.kernels.*one.value;
  for (const NamedLinks& host : hosts) {
    const Links& links = profile.*host.value;
    Links unmeasured = builtin().*host.value;
    unmeasured.network = links.network;
    const Curve& holes = profile.*host.holes;
    const bool measured = std::ranges::any_of(holes.ns, [](double ns) { return ns > 0; });
    if (links == unmeasured && !measured) continue;
    for (const LinkNumber& n : link_numbers) json[host.name][n.name] = rounded(links.node.*n.value);
    for (const SharedNumber& n : shared_numbers) json[host.name][n.name] = rounded(links.*n.value);
    for (std::size_t i = 0; measured && i < Curve::points; ++i)
      json[host.name][with_holes][key(Curve::lengths[i])] = rounded(holes.ns[i]);
  }
  if (const Link& network = profile.mpich.network; network != builtin().mpich.network)
    for (const LinkNumber& n : link_numbers) json[between_nodes][n.name] = rounded(network.*n.value);
  for (const auto& [name, of_host] : nodes_of_hosts) {
    const BetweenNodes& nodes = profile.*of_host;
    if (!nodes.measured()) continue;
    json[name][provider] = nodes.name();
    for (const NodeNumber& n : node_numbers) json[name][n.name] = rounded(nodes.*n.value);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Loaded parse(std::string_view text, const std::string& name, const Machine& here) try {
  if (text.size() > largest) throw std::runtime_error(fmt::format("it has more than {} bytes", largest));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error("it is damaged (no JSON)");
  return {.profile = read(json, here), .source = name, .complaint = {}};
} catch (const std::exception& error) {
  return refused(name, error.what());
}

std::string usual_path() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && config[0] == '/')
    return std::string(config) + "/heddle/profile.json";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/') return std::string(home) + "/.config/heddle/profile.json";
  return {};
}

std::string profile_path(const std::string& setting) {
  static constexpr const char* of_site = "/etc/heddle/profile.json";
  if (setting == "builtin") return {};
  if (setting != "auto") return setting;
  for (const std::string& path : {usual_path(), std::string(of_site)})
    if (access(path.c_str(), F_OK) == 0) return path;
  return {};
}

Loaded load(const std::string& path, const Machine& here) {
  if (path.empty()) return {};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(largest + 1, '\0');
  if (!file || !(file.read(text.data(), static_cast<std::streamsize>(text.size())) || file.eof()))
    return refused(path, fmt::format("the file cannot be read ({})", errno ? std::strerror(errno) : "no file"));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse(text, path, here);
}

}  // namespace heddle::select
