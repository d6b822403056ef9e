// tool/tune/tune.cpp: measures, and writes the profile where the library looks for it.
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "layout/kernel/kernels.hpp"
#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"
#include "tool/tune/fit_links.hpp"
#include "tool/tune/fit_nodes.hpp"
#include "tool/tune/fit_thresholds.hpp"
#include "tool/tune/measure.hpp"

namespace heddle::tool {
namespace {

std::string today() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

/// Writes the whole file or nothing, because a job may be reading it.
void put(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path aside = path;
  aside += "." + std::to_string(getpid());
  if (!error) {
    std::ofstream file(aside);
    file << text;
    file.close();
    if (!file)
      error = std::make_error_code(std::errc::io_error);
    else
      std::filesystem::rename(aside, path, error);
  }
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw std::runtime_error("cannot write " + path.string() + " (" + error.message() + "). Name another place with --output.");
}

/// The file from which programs with these settings will read the profile.
std::string place() {
  const std::string setting = settings::from_environment().profile;
  return setting == "auto" || setting == "builtin" ? select::usual_path() : setting;
}

/// The provider and the numbers for messages between nodes. Empty: none were given.
std::optional<select::BetweenNodes> between_nodes(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::vector<double> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::size_t read = 0;
    try {
      numbers.push_back(std::stod(words[i], &read));
    } catch (const std::logic_error&) {
      read = 0;
    }
    if (read != words[i].size()) throw std::invalid_argument("\"" + words[i] + "\" is no number");
  }
  return fitted(taken_between(numbers), words[0]);
}

/// "process_vm_readv/call_ns" for each number that is NaN, which JSON writes as null.
Json unknown(const Json& profile) {
  Json names = Json::array();
  for (const auto& [group, members] : profile.items())
    for (const auto& [name, value] : members.items())
      if (value.is_null()) names.push_back(group + "/" + name);
  return names;
}

/// The costs of copying on this machine, and the thresholds of kernels.
Measured machine_measured(const TuneOptions& options) {
  const auto progress = [&options](double done, const std::string& what) {
    if (options.progress) std::cout << Json{{"done", done}, {"what", what}}.dump() << std::endl;
  };
  constexpr double first_part = 0.3;  // of the time
  const layout::kernel::Thresholds thresholds =
      measure_thresholds(options.quick, [&](double done, const std::string& what) { progress(first_part * done, what); });
  layout::kernel::use(thresholds);
  Measured measured = measure(
      options.quick, [&](double done, const std::string& what) { progress(first_part + (1 - first_part) * done, what); });
  measured.profile.kernels = thresholds;
  return measured;
}

}  // namespace

Json tune(const TuneOptions& options) {
  const std::string path = options.output.empty() ? place() : options.output;
  if (path.empty()) throw std::runtime_error("there is no home folder for the profile. Name a file with --output.");
  // Check the given numbers before some seconds of measurement.
  const auto given = [](const std::vector<double>& numbers) {
    return numbers.empty() ? std::optional<Taken>() : std::optional(taken(numbers));
  };
  const std::optional<Taken> mpich = given(options.mpich);
  const std::optional<Taken> openmpi = given(options.openmpi);
  const std::optional<select::BetweenNodes> mpich_nodes = between_nodes(options.mpich_nodes);
  const std::optional<select::BetweenNodes> openmpi_nodes = between_nodes(options.openmpi_nodes);
  const select::Machine machine = select::this_machine();
  std::error_code ignored;
  const bool there = std::filesystem::is_regular_file(path, ignored);
  const select::Loaded before = there ? select::load(path, machine) : select::Loaded{};
  const bool good = there && before.complaint.empty();
  Measured measured = options.add && good ? Measured{.profile = before.profile, .without = {}} : machine_measured(options);
  if (options.add && !good && measured.without.empty())
    measured.without = "messages of MPI libraries on this machine are not measured; run heddle tune without a launcher";
  // Earlier measurements between nodes stay, because other nodes are not always available.
  measured.profile.mpich_nodes = mpich_nodes.value_or(before.profile.mpich_nodes);
  measured.profile.openmpi_nodes = openmpi_nodes.value_or(before.profile.openmpi_nodes);
  if (mpich) measured.profile.mpich = fitted(*mpich, measured.profile.mpich, measured.kept.mpich);
  if (openmpi) measured.profile.openmpi = fitted(*openmpi, measured.profile.openmpi, measured.kept.openmpi);
  if (mpich) measured.profile.mpich_holes = fitted_holes(*mpich);
  if (openmpi) measured.profile.openmpi_holes = fitted_holes(*openmpi);
  if (const std::string wrong = select::absurd(measured.profile); !wrong.empty())
    throw std::runtime_error("the measurement makes no sense (" + wrong + "). Is the machine busy? No profile was written.");
  const std::string text = select::write(measured.profile, machine, today());
  put(path, text);
  return {{"path", path},
          {"profile", Json::parse(text)},
          {"builtin", Json::parse(select::write(select::builtin(), machine, ""))},
          {"kept", unknown(Json::parse(select::write(measured.kept, machine, "")))},
          {"without", measured.without}};
}

}  // namespace heddle::tool
