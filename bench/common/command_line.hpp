// bench/common/command_line.hpp: the options of a program of bench/. CLI11 reads them. Its headers
// are compiled once, in command_line.cpp, because each source that includes them takes ten seconds.
//
//   CommandLine line{"Columns of a matrix; prints JSON lines."};
//   line.option("--columns", options.columns, "Numbers of columns").between(1, 4096);
//   line.flag("--quick", options.quick, "Short and rough");
//   if (const auto status = line.parse(argc, argv)) return *status;
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::bench {

/// Conditions for the value of an option. Each call returns the same object, for further calls.
class Checked {
 public:
  explicit Checked(CLI::Option* option) : option_{option} {}
  Checked& between(int least, int most);
  Checked& between(double least, double most);
  Checked& one_of(const std::vector<std::string>& names);
  Checked& shows_default();  ///< --help prints the value before parsing

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  explicit CommandLine(const std::string& purpose);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// `value` is an int, a long, an unsigned long, a double or a string, or a vector of ints, longs
  /// or strings (command_line.cpp has the list).
  template <class T>
  Checked option(const std::string& name, T& value, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);

  /// @return the exit status of a program that must end now: after --help (printed), or after a
  /// mistake (printed). Otherwise nothing.
  std::optional<int> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace heddle::bench
