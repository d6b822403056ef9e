// command/main.cpp: the program `heddle`. It starts a line of `heddle run` that it knows
// (known_lines.hpp). The Python command does everything else, and remembers new lines.
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "command/context.hpp"
#include "command/known_lines.hpp"

namespace {

using namespace heddle::command;

constexpr const char* own_variables[] = {"_HEDDLE_LINES", "_HEDDLE_CONTEXT"};  // for python/heddle/lines.py
constexpr std::size_t longest_context = 1 << 16;                               // bytes; the kernel limits a variable to 128 KiB

/// The folder of this program, through links. Without /proc, the kernel's name of the program has
/// to do.
std::string own_folder() {
  std::array<char, PATH_MAX> path{};
  const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));  // NOLINT(performance-no-int-to-ptr)
  if (!realpath("/proc/self/exe", path.data()) && !(started && realpath(started, path.data()))) return {};
  const std::string_view whole(path.data());
  return std::string(whole.substr(0, std::min(whole.rfind('/'), whole.size())));
}

/// The Python command: pip puts heddle-python beside this program, `make install` puts start.py
/// into PREFIX/lib/heddle.
struct Python {
  std::string start;
  bool is_program;  // false: a python3 must run it
};

Python python_command() {
  const std::string folder = own_folder();
  if (const std::string beside = folder + "/heddle-python"; access(beside.c_str(), X_OK) == 0) return {beside, true};
  const std::string prefix = folder.substr(0, std::min(folder.rfind('/'), folder.size()));
  return {prefix + "/lib/heddle/start.py", false};
}

/// The pointers that execve takes. The texts must outlive them.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Our environment as Python hands it on: the first entry of a name counts. LD_PRELOAD comes last.
std::vector<std::string> environment_with(const std::optional<std::string>& preload) {
  std::vector<std::string> all;
  std::unordered_set<std::string_view> names{"LD_PRELOAD"};
  for (char** each = environ; *each; ++each) {
    const std::string_view entry(*each);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos && names.insert(entry.substr(0, equals)).second) all.emplace_back(entry);
  }
  if (preload) all.push_back("LD_PRELOAD=" + *preload);
  return all;
}

/// Becomes the command. Returns if that fails.
void become(const Command& command) {
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);  // as python/heddle/launch.py does
  const std::vector<std::string> environment = environment_with(command.preload);
  execve(command.file.c_str(), pointers(command.arguments).data(), pointers(environment).data());
}

/// Starts a known line of `heddle run`. Otherwise returns, and python/heddle/lines.py gets the name
/// and the context of a new line by two variables.
void start_known(const std::string& python, std::vector<std::string_view> words) {
  for (const char* mine : own_variables) unsetenv(mine);
  const auto context = context_of(python, environ);
  const auto path = context ? file_of(*context, environ) : std::nullopt;
  if (!path || context->size() > longest_context) return;
  if (const auto bytes = read_own_file(*path))
    if (const auto command = command_of(*bytes, *context, words)) become(*command);
  setenv(own_variables[0], path->c_str(), 1);
  setenv(own_variables[1], context->c_str(), 1);
}

/// Becomes the Python command. Returns if that fails. The two variables are left out if there is no
/// room for them.
void become_python(const char* program, char** arguments) {
  execvp(program, arguments);
  if (errno != E2BIG) return;
  for (const char* mine : own_variables) unsetenv(mine);
  execvp(program, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  const Python python = python_command();
  if (argc > 2 && std::string_view(argv[1]) == "run") start_known(python.start, {argv + 2, argv + argc});

  std::vector<char*> arguments(argv, argv + argc + 1);
  if (arguments.size() == 1) arguments.insert(arguments.begin(), const_cast<char*>("heddle"));
  arguments[0] = const_cast<char*>(python.start.c_str());
  if (python.is_program) {
    become_python(python.start.c_str(), arguments.data());
    std::fprintf(stderr, "heddle: %s cannot be started. Install Heddle again.\n", python.start.c_str());
    return 126;
  }
  if (access(python.start.c_str(), R_OK) != 0) {
    std::fprintf(stderr, "heddle: the Python command is missing (%s). Install Heddle again.\n", python.start.c_str());
    return 127;
  }
  arguments.insert(arguments.begin(), nullptr);
  const char* named = getenv("HEDDLE_PYTHON");
  for (const char* interpreter : {named && *named ? named : "python3", "python3", "/usr/bin/python3"}) {
    arguments[0] = const_cast<char*>(interpreter);
    become_python(interpreter, arguments.data());
  }
  const std::string libraries = python.start.substr(0, python.start.size() - std::string_view("/heddle/start.py").size());
  std::fprintf(stderr,
               "heddle: there is no python3 on the PATH. Load one, or name it in HEDDLE_PYTHON. The libraries in %s need none: "
               "docs/install.md.\n",
               libraries.c_str());
  return 127;
}
