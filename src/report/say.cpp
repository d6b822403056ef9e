// report/say.cpp: writes each message in one piece, so that the lines of several ranks do not mix.
#include "report/say.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <set>
#include <string>

#include "layout/immortal.hpp"
#include "report/printable.hpp"

namespace heddle::report {

void say(const char* message) noexcept {
  try {
    const std::string line = "heddle: " + printable(message) + "\n";
    std::fputs(line.c_str(), stderr);
  } catch (const std::exception&) {
    std::fputs(message, stderr);
  }
}

void say_once_verbose(const char* message, const char* reason) noexcept {
  if (!verbose.load(std::memory_order_relaxed)) return;
  try {
    static constinit std::mutex lock;
    static layout::Immortal<std::set<std::string>> said;
    const std::lock_guard guard(lock);
    const std::string text = std::string(message) + ": " + reason + ".";
    if ((*said).insert(text).second) say(text.c_str());
  } catch (const std::exception&) {
    // Memory is short, and the program has worse problems than a missing remark.
  }
}

void give_up(const char* message) noexcept {
  say(message);
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

void end_before_the_program() noexcept {
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace heddle::report
