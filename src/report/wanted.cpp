// report/wanted.cpp: reads the names, and compares each with a datatype and a place.
#include "report/wanted.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "report/python_line.hpp"

namespace heddle::report {
namespace {

std::string_view file_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// "heat.py:42". Empty: the place is not in Python.
std::string python_of(const Place& place) {
  const int line = line_of(place);
  return line > 0 ? std::string(file_of(place.module)) + ":" + std::to_string(line) : std::string();
}

/// Takes a hexadecimal number after 0x from the front of the text.
bool take_number(std::string_view& text, std::uint64_t& number) {
  if (!text.starts_with("0x")) return false;
  text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

/// A C++ symbol's name without mangling and parameters. Other symbols stay.
std::string plain(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  const std::string name = status == 0 && text ? text.get() : symbol;
  return name.substr(0, name.find('('));
}

}  // namespace

Wanted::Wanted(std::string_view text) {
  const std::string_view given = text.substr(0, text.find(",?"));  // by the user; `heddle run` adds the rest
  if (given.find(',') != std::string_view::npos) names_.push_back({std::string(given), {}, true});  // never unmet
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) add(part);
    begin = end + 1;
  }
}

void Wanted::add(std::string_view part) {
  Range range;
  const std::size_t equals = part.rfind('=');
  if (part.starts_with('?')) {
    prepared_ = true;
    if (equals != std::string_view::npos && read(part.substr(equals + 1), range))
      lines_.emplace_back(part.substr(1, equals - 1), range);
    return;
  }
  if (equals != std::string_view::npos && read(part.substr(equals + 1), range)) {
    named(part.substr(0, equals)).ranges.push_back(range);
    return;
  }
  Name& name = named(part);
  if (read(part, range)) name.ranges.push_back(range);
}

Wanted::Name& Wanted::named(std::string_view word) {
  const auto found = std::ranges::find(names_, word, &Name::word);
  return found != names_.end() ? *found : names_.emplace_back(Name{std::string(word), {}, false});
}

bool Wanted::read(std::string_view text, Range& range) {
  const std::size_t plus = text.rfind("+0x");
  if (plus == 0 || plus == std::string_view::npos) return false;
  range.module = file_of(text.substr(0, plus));
  text.remove_prefix(plus + 1);
  if (!take_number(text, range.to)) return false;
  range.from = range.to - 1;
  if (text.empty()) return range.to > 0;
  range.from = range.to;
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return take_number(text, range.to) && text.empty();
}

bool Wanted::of_place(const Name& name, const Place& place) {
  if (const std::string line = python_of(place); !line.empty() && name.word == line) return true;
  if (!place.symbol.empty()) {
    const std::string function = plain(place.symbol);
    if (name.word == place.symbol || name.word == function || function.ends_with("::" + name.word)) return true;
  }
  return std::ranges::any_of(name.ranges, [&](const Range& range) { return range.has(place); });
}

bool Wanted::Range::has(const Place& place) const {
  return from < place.offset && place.offset <= to && module == file_of(place.module);
}

std::string Wanted::shown(const Place& place) const {
  for (const auto& [line, range] : lines_)
    if (range.has(place)) return line;
  for (const Name& name : names_)
    for (const Range& range : name.ranges)
      if (range.has(place) && range.to > range.from + 1)
        return name.word + " (" + report::shown({place.module, place.offset, {}}) + ")";
  return report::shown(place);
}

bool Wanted::has(std::string_view datatype, std::string_view procedure, const Place& place) {
  bool any = false;
  for (Name& name : names_) {
    if (name.word != datatype && name.word != procedure && name.word != "all" && !of_place(name, place)) continue;
    name.met = any = true;
  }
  return any;
}

std::vector<std::string> Wanted::unmet() const {
  std::vector<std::string> words;
  for (const Name& name : names_)
    if (!name.met) words.push_back(name.word);
  return words;
}

std::string shown(const Place& place) {
  if (place.module.empty()) return "an unknown place";
  if (const std::string line = python_of(place); !line.empty()) return place.symbol + " (" + line + ")";
  char offset[24] = "";
  const auto [end, error] = std::to_chars(offset, offset + sizeof offset, place.offset, 16);
  const std::string where = std::string(file_of(place.module)) + "+0x" + std::string(offset, end);
  return place.symbol.empty() ? where : plain(place.symbol) + " (" + where + ")";
}

}  // namespace heddle::report
