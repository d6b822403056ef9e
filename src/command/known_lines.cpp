// command/known_lines.cpp: reads a file of lines, and takes a line only if the programs and
// libraries it names are unchanged.
#include "command/known_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace heddle::command {
namespace {

using Texts = std::vector<std::string_view>;

constexpr std::string_view form = "heddle lines 1";
constexpr off_t longest_file = 8 << 20;  // bytes; lines.py writes less

constexpr std::array<std::uint32_t, 256> crc32_of_byte = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = byte;
    for (int bit = 0; bit < 8; ++bit) table[byte] = (table[byte] >> 1) ^ ((table[byte] & 1) ? 0xedb88320 : 0);
  }
  return table;
}();

/// Reads texts in turn. After the first mistake all texts are empty and whole() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return fail();
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }

  std::size_t number() {
    const std::string_view digits = text();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // Each text takes a byte at least, so a larger number is a mistake.
    if (error != std::errc{} || end != digits.data() + digits.size() || value > rest_.size()) fail();
    return whole_ ? value : 0;
  }

  Texts texts(std::size_t many) {
    Texts found;
    for (std::size_t i = 0; i < many && whole_; ++i) found.push_back(text());
    return found;
  }

  Texts list() { return texts(number()); }

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool at_end() const { return whole_ && rest_.empty(); }

 private:
  std::string_view fail() {
    whole_ = false;
    rest_ = {};
    return {};
  }

  std::string_view rest_;
  bool whole_ = true;
};

struct Line {
  Texts words;
  std::string_view further;  // open, closed
  Texts never_further;
  Texts files;  // path, signature, path, signature, ...
  Texts preload;
  std::string_view file;
  Texts arguments;
};

std::optional<Line> next_line(Reader& all) {
  const Texts texts = all.list();
  if (texts.empty() || !all.whole()) return std::nullopt;
  const char* first = texts.front().data();
  const char* last = texts.back().data() + texts.back().size() + 1;
  Reader reader({first, static_cast<std::size_t>(last - first)});
  Line line;
  line.words = reader.list();
  line.further = reader.text();
  line.never_further = reader.list();
  line.files = reader.texts(2 * reader.number());
  line.preload = reader.list();
  line.file = reader.text();
  line.arguments = reader.list();
  if (!reader.at_end() || line.words.empty() || line.arguments.empty() || line.file.empty() || line.preload.size() > 1)
    return {};
  if (line.further != "open" && line.further != "closed") return {};
  return line;
}

/// All lines of a file. nullopt: it is damaged, or of another context.
std::optional<std::vector<Line>> lines_of(std::string_view bytes, std::string_view context) {
  Reader reader(bytes);
  if (reader.text() != form) return std::nullopt;
  const std::string_view checksum = reader.text();
  if (checksum != std::to_string(checksum_of(reader.rest())) || reader.text() != context) return std::nullopt;
  std::vector<Line> lines;
  for (std::size_t left = reader.number(); left > 0; --left) {
    std::optional<Line> line = next_line(reader);
    if (!line) return std::nullopt;
    lines.push_back(std::move(*line));
  }
  if (reader.text() != "end" || !reader.at_end()) return std::nullopt;
  return lines;
}

bool has_words(const Line& line, std::span<const std::string_view> words) {
  if (words.size() < line.words.size() || !std::ranges::equal(line.words, words.first(line.words.size()))) return false;
  const auto further = words.subspan(line.words.size());
  return further.empty() ||
         (line.further == "open" && std::ranges::find_first_of(further, line.never_further) == further.end());
}

bool files_unchanged(const Line& line) {
  for (std::size_t i = 0; i < line.files.size(); i += 2)
    if (signature_of(std::string(line.files[i])) != line.files[i + 1]) return false;
  return true;
}

bool only_ours(int handle, mode_t kind) {
  struct stat found = {};
  return fstat(handle, &found) == 0 && (found.st_mode & S_IFMT) == kind && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0 && (kind == S_IFDIR || found.st_size <= longest_file);
}

std::optional<std::string> content_of(int handle) {
  std::string bytes;
  char part[1 << 14];
  for (;;) {
    const ssize_t length = read(handle, part, sizeof part);
    if (length == 0) return bytes;
    if (length < 0 || static_cast<off_t>(bytes.size()) > longest_file) return std::nullopt;
    bytes.append(part, static_cast<std::size_t>(length));
  }
}

}  // namespace

std::optional<Command> command_of(std::string_view bytes, std::string_view context, std::span<const std::string_view> words) {
  const std::optional<std::vector<Line>> lines = lines_of(bytes, context);
  if (!lines) return std::nullopt;
  for (const Line& line : *lines) {
    if (!has_words(line, words)) continue;
    if (!files_unchanged(line)) return std::nullopt;
    Command command;
    command.file = line.file;
    command.arguments.assign(line.arguments.begin(), line.arguments.end());
    const auto further = words.subspan(line.words.size());
    command.arguments.insert(command.arguments.end(), further.begin(), further.end());
    if (!line.preload.empty()) command.preload = line.preload.front();
    return command;
  }
  return std::nullopt;
}

std::string signature_of(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return "-";
  const auto nanoseconds = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
  return std::to_string(nanoseconds(found.st_mtim)) + ' ' + std::to_string(found.st_size) + ' ' + std::to_string(found.st_ino) +
         ' ' + std::to_string(nanoseconds(found.st_ctim));
}

std::uint32_t checksum_of(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const unsigned char byte : bytes) sum = (sum >> 8) ^ crc32_of_byte[(sum ^ byte) & 0xff];
  return ~sum;
}

std::optional<std::string> read_own_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const int folder = open(path.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return std::nullopt;
  std::optional<std::string> bytes;
  if (only_ours(folder, S_IFDIR)) {
    const int file = openat(folder, path.c_str() + slash + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
      if (only_ours(file, S_IFREG)) bytes = content_of(file);
      close(file);
    }
  }
  close(folder);
  return bytes;
}

}  // namespace heddle::command
