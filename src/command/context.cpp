// command/context.cpp: reads the facts of the machine and the environment, and makes the file name
// of a context from their hash.
#include "command/context.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <vector>

namespace heddle::command {
namespace {

/// Appends a text with its length, so that two lists of texts never look alike.
void append(std::string& all, std::string_view text) {
  all += std::to_string(text.size()) + ':';
  all += text;
  all += ',';
}

/// The number of a start of this machine. Processors and their order stay the same until the next.
std::string boot() {
  std::array<char, 64> text{};
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

std::string user() {
  std::string all;
  for (const unsigned id : {getuid(), geteuid(), getgid(), getegid()}) all += std::to_string(id) + ' ';
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  if (!groups.empty() && getgroups(static_cast<int>(groups.size()), groups.data()) < 0) return {};
  for (const gid_t group : groups) all += std::to_string(group) + ' ';
  return all;
}

std::string cores() {
  std::array<cpu_set_t, 16> set{};  // 16384 processors
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) return {};
  std::string all;
  for (std::size_t i = 0; i < set.size() * CPU_SETSIZE; ++i)
    if (CPU_ISSET_S(i, sizeof set, set.data())) all += std::to_string(i) + ' ';
  return all;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

}  // namespace

bool counts(std::string_view variable) {
  static constexpr std::string_view whole[] = {"PATH",           "HOME",        "XDG_CACHE_HOME",  "XDG_CONFIG_HOME",
                                               "GLIBC_TUNABLES", "VIRTUAL_ENV", "SLURM_EXPORT_ENV"};
  static constexpr std::string_view begins[] = {"HEDDLE", "LD_", "PYTHON", "MPI4PY_"};
  return std::ranges::find(whole, variable) != std::end(whole) ||
         std::ranges::any_of(begins, [&](std::string_view each) { return variable.starts_with(each); });
}

const char* value_of(std::string_view variable, char** environment) {
  for (; *environment; ++environment) {
    const std::string_view entry(*environment);
    if (entry.size() > variable.size() && entry[variable.size()] == '=' && entry.starts_with(variable))
      return *environment + variable.size() + 1;
  }
  return nullptr;
}

std::optional<std::string> context_of(std::string_view python, char** environment) {
  std::array<char, PATH_MAX> folder{};
  utsname machine{};
  if (!getcwd(folder.data(), folder.size()) || uname(&machine) != 0) return std::nullopt;
  std::string all;
  for (const std::string& text : {std::string(HEDDLE_VERSION), std::string(python), std::string(folder.data()),
                                  std::string(machine.nodename), boot(), user(), cores()}) {
    if (text.empty()) return std::nullopt;
    append(all, text);
  }
  std::vector<std::string_view> entries;
  for (; *environment; ++environment) {
    const std::string_view entry(*environment);
    if (counts(entry.substr(0, entry.find('=')))) entries.push_back(entry);
  }
  std::ranges::sort(entries);
  for (const std::string_view entry : entries) append(all, entry);
  return all;
}

std::optional<std::string> file_of(std::string_view context, char** environment) {
  const auto set = [&](std::string_view variable) {
    const char* value = value_of(variable, environment);
    return std::string(value ? value : "");
  };
  // The rule of python/heddle/remembered.py.
  std::string found = set("HEDDLE_CACHE");
  if (found == "off") return std::nullopt;
  if (found.empty()) {
    std::string folder = set("XDG_CACHE_HOME");
    if (folder.empty()) {
      if (set("HOME").empty()) return std::nullopt;
      folder = set("HOME") + "/.cache";
    }
    found = folder + "/heddle/found.json";
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (std::uint64_t left = fnv1a(context), i = 0; i < 16; ++i, left >>= 4) name += digits[left & 15];
  return found + ".lines/" + name;
}

}  // namespace heddle::command
