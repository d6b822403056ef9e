// interposition/children.cpp: takes Heddle, and the MPI library behind it, out of LD_PRELOAD.
#include "interposition/children.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

namespace heddle::interposition {
namespace {

constexpr const char* variable = "LD_PRELOAD";

/// The loaded file that contains an address; empty: unknown.
std::string file_of(const void* address) {
  Dl_info where{};
  return dladdr(address, &where) != 0 && where.dli_fname ? where.dli_fname : "";
}

bool names(std::string_view entry, const std::string& file) {
  if (file.empty()) return false;
  if (entry == file) return true;
  struct stat one {
  }, other{};
  return entry.find('/') != std::string_view::npos && stat(std::string(entry).c_str(), &one) == 0 &&
         stat(file.c_str(), &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

void leave_children_alone(const void* in_host) noexcept try {
  const char* const set = std::getenv(variable);
  if (!set) return;
  const std::string interposer = file_of(reinterpret_cast<const void*>(&leave_children_alone));
  const std::string library = file_of(in_host);
  std::string rest;
  bool ours = false;    // the interposer is named
  bool behind = false;  // the entry before this one was the interposer
  constexpr std::string_view separators = ": ";
  const std::string_view all = set;
  for (std::size_t at = all.find_first_not_of(separators); at < all.size();) {
    const std::size_t end = std::min(all.find_first_of(separators, at), all.size());
    const std::string_view entry = all.substr(at, end - at);
    const bool me = names(entry, interposer);
    if (!me && !(behind && names(entry, library))) {
      if (!rest.empty()) rest += ':';
      rest += entry;
    }
    ours |= me;
    behind = me;
    at = all.find_first_not_of(separators, end);
  }
  if (!ours) return;
  if (rest.empty())
    unsetenv(variable);
  else
    setenv(variable, rest.c_str(), 1);
} catch (const std::exception&) {
  return;  // memory is short: children load Heddle, which costs them time
}

}  // namespace heddle::interposition
