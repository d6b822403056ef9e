// report/run.cpp: the command, the date, the settings and the processor of this run.
#include "report/run.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

Json command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json words = Json::array();
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm calendar{};
  std::array<char, 32> text{};
  gmtime_r(&now, &calendar);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &calendar)};
}

Json settings() {
  Json set = Json::object();
  for (const char* const* line = environ; line && *line; ++line) {
    const std::string_view text = *line;
    const std::size_t end = text.find('=');
    const std::string_view name = text.substr(0, end);
    if (end != text.npos && (name == "HEDDLE" || name.starts_with("HEDDLE_"))) set[name] = text.substr(end + 1);
  }
  return set;
}

}  // namespace

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string about_run(const Ran& ran) {
  const Json about = {{"command", command()},       {"mpi", ran.mpi},     {"family", ran.family},
                      {"host", this_host()},        {"date", date()},     {"version", HEDDLE_VERSION},
                      {"processor", ran.processor}, {"cores", ran.cores}, {"settings", settings()}};
  return about.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::report
