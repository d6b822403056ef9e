// bench/common/command_line.cpp: see command_line.hpp.
#include "common/command_line.hpp"

#include <CLI/CLI.hpp>

namespace heddle::bench {

Checked& Checked::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Checked& Checked::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Checked& Checked::one_of(const std::vector<std::string>& names) {
  option_->check(CLI::IsMember(names));
  return *this;
}

Checked& Checked::shows_default() {
  option_->capture_default_str();
  return *this;
}

CommandLine::CommandLine(const std::string& purpose) : app_{std::make_unique<CLI::App>(purpose)} {}

CommandLine::~CommandLine() = default;

template <class T>
Checked CommandLine::option(const std::string& name, T& value, const std::string& help) {
  return Checked{app_->add_option(name, value, help)};
}
template Checked CommandLine::option(const std::string&, int&, const std::string&);
template Checked CommandLine::option(const std::string&, long&, const std::string&);
template Checked CommandLine::option(const std::string&, unsigned long&, const std::string&);
template Checked CommandLine::option(const std::string&, double&, const std::string&);
template Checked CommandLine::option(const std::string&, std::string&, const std::string&);
template Checked CommandLine::option(const std::string&, std::vector<int>&, const std::string&);
template Checked CommandLine::option(const std::string&, std::vector<long>&, const std::string&);
template Checked CommandLine::option(const std::string&, std::vector<std::string>&, const std::string&);

void CommandLine::flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    return app_->exit(end);
  }
  return {};
}

}  // namespace heddle::bench
