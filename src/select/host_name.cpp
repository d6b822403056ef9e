// select/host_name.cpp: the words up to the first comma or line end.
#include "select/host_name.hpp"

namespace heddle::select {

std::string host_name(std::string_view version) {
  std::string words;
  for (const char c : version.substr(0, version.find_first_of(",\n\r"))) {
    const bool space = c == ' ' || c == '\t';
    if (!space)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  return words;
}

Host host_of(std::string_view name) noexcept {
  return name.find("Open MPI") != std::string_view::npos ? Host::openmpi : Host::mpich;
}

}  // namespace heddle::select
