// settings/files.cpp: reads NAME=VALUE lines, and says which line has no effect.
#include "settings/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "settings/lookup.hpp"

namespace heddle::settings {
namespace {

constexpr std::size_t largest = 64 << 10;  // bytes; a larger file is not a file of settings
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// 0, or errno.
int contents(const std::string& path, std::string& text) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer is empty
  if (file < 0) return errno;
  char part[4096];
  int error = 0;
  while (text.size() <= largest) {
    const ssize_t got = ::read(file, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  close(file);
  return error ? error : text.size() > largest ? EFBIG : 0;
}

std::string why_without_effect(std::string_view name) {
  const auto all = table();
  const auto row = std::ranges::find(all, name, &Variable::name);
  if (row != all.end()) return row->reader == Reader::library ? "" : std::string(name) + " is read from the environment alone";
  const std::string_view near = nearest_name(name);
  return "no variable is called " + shown(name) +
         (near.empty() ? " (`heddle env` lists them)" : "; did you mean " + std::string(near) + "?");
}

void append(Files& to, const std::string& path, bool must_exist) {
  if (path.empty()) return;
  std::string text;
  if (const int error = contents(path, text); error != 0) {
    const bool none = error == ENOENT || error == ENOTDIR;
    if (must_exist || !none)
      to.complaints.push_back("heddle: the settings in " + path + " are not used: the file cannot be read (" +
                              std::strerror(error) + ").");
    return;
  }
  Files more = parse_file(text, path);
  std::ranges::move(more.lines, std::back_inserter(to.lines));
  std::ranges::move(more.complaints, std::back_inserter(to.complaints));
}

}  // namespace

Files parse_file(std::string_view text, const std::string& name) {
  Files files;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string from = name + ":" + std::to_string(++number);
    // A comment begins at the start of a line or after a blank: the name of a file may contain a #.
    std::size_t comment = whole.find('#');
    while (comment != std::string_view::npos && comment > 0 && blanks.find(whole[comment - 1]) == std::string_view::npos)
      comment = whole.find('#', comment + 1);
    const std::string_view line = trimmed(whole.substr(0, comment));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    const std::string_view variable = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || variable.empty() || variable.find_first_of(blanks) != std::string_view::npos) {
      files.complaints.push_back("heddle: " + from + ": \"" + shown(line) + "\" is not NAME=VALUE; it has no effect.");
      continue;
    }
    if (const std::string why = why_without_effect(variable); !why.empty()) {
      files.complaints.push_back("heddle: " + from + ": " + why + (why.ends_with('?') ? "" : "; it has no effect."));
      continue;
    }
    Line set{std::string(variable), std::string(trimmed(line.substr(equals + 1))), from};
    const auto same = std::ranges::find(files.lines, set.name, &Line::name);  // the last line of a name counts, as in a shell
    if (same == files.lines.end())
      files.lines.push_back(std::move(set));
    else
      *same = std::move(set);
  }
  return files;
}

std::string user_file(const char* const* environment) {
  const auto value = [&](std::string_view name) { return find(environment, name).value_or(std::string_view()); };
  if (const std::string_view named = value("HEDDLE_CONFIG"); !named.empty()) return std::string(named);
  if (const std::string_view config = value("XDG_CONFIG_HOME"); config.starts_with('/'))
    return std::string(config) + "/heddle/heddle.conf";
  if (const std::string_view home = value("HOME"); home.starts_with('/'))
    return std::string(home) + "/.config/heddle/heddle.conf";
  return {};
}

Files read_files(const std::string& user, const std::string& site, bool user_must_exist) {
  Files files;
  if (user == "none") return files;
  append(files, user, user_must_exist);
  append(files, site, false);
  return files;
}

Files files_of(const char* const* environment) {
  const bool named = !find(environment, "HEDDLE_CONFIG").value_or(std::string_view()).empty();
  return read_files(user_file(environment), site_file, named);
}

std::optional<Source> source(const char* const* environment, const Files& files, std::string_view name) {
  if (const auto text = find(environment, name)) {
    if (text->empty()) return std::nullopt;
    return Source{std::string(*text), std::string(environment_itself)};
  }
  const auto line = std::ranges::find(files.lines, name, &Line::name);
  if (line == files.lines.end() || line->value.empty()) return std::nullopt;
  return Source{line->value, line->from};
}

}  // namespace heddle::settings
