// engine/window/mapped_files.cpp: reads /proc/self/maps, and maps memory a second time.
#include "engine/window/mapped_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "transport/region.hpp"

namespace heddle::engine {
namespace {

/// Takes the next word of a line.
std::string_view next_word(std::string_view& line) noexcept {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// False: `text` is not a number of that base.
template <class Number>
bool reads(std::string_view text, Number& number, int base) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Reads two numbers, as in "7f00-7f10" or "00:1b".
template <class Number>
bool reads_both(std::string_view text, char between, Number& first, Number& second) noexcept {
  const std::size_t middle = text.find(between);
  return middle != std::string_view::npos && reads(text.substr(0, middle), first, 16) &&
         reads(text.substr(middle + 1), second, 16);
}

}  // namespace

MappedFiles MappedFiles::of_process() {
  std::ifstream file("/proc/self/maps", std::ios::binary);
  const std::string maps{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return MappedFiles(maps);
}

bool MappedFiles::looks_shared(const void* address) noexcept {
  constexpr std::uint64_t of_file_or_shared = std::uint64_t{1} << 61U;  // Linux, Documentation/admin-guide/mm/pagemap.rst
  const transport::Descriptor file(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const auto page = reinterpret_cast<std::uintptr_t>(address) / static_cast<std::uintptr_t>(transport::page_size());
  std::uint64_t entry = 0;
  return file && pread(file.get(), &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) == sizeof entry &&
         (entry & of_file_or_shared) != 0;
}

MappedFiles::MappedFiles(std::string_view maps) {
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    Piece piece;
    std::uint64_t major = 0, minor = 0;
    const bool addresses = reads_both(next_word(line), '-', piece.begin, piece.end);
    const std::string_view access = next_word(line);
    const bool whole = reads(next_word(line), piece.place.offset, 16) && reads_both(next_word(line), ':', major, minor) &&
                       reads(next_word(line), piece.place.inode, 10);
    if (!addresses || !whole || !piece.place || access.substr(0, 2) != "rw" || access.substr(3) != "s") continue;
    // Segments of System V have inodes that are not unique on their device.
    if (next_word(line).starts_with("/SYSV")) continue;
    piece.place.device = major << 32U | minor;
    // The kernel may show a mapping in several pieces.
    if (!pieces_.empty() && pieces_.back().end == piece.begin) {
      FilePlace next = pieces_.back().place;
      next.offset += pieces_.back().bytes();
      if (next == piece.place) {
        pieces_.back().end = piece.end;
        continue;
      }
    }
    pieces_.push_back(piece);
  }
}

FilePlace MappedFiles::place_of(const void* address, Bytes bytes) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Piece& piece : pieces_) {
    if (bytes <= 0 || at < piece.begin || at >= piece.end) continue;
    if (static_cast<Bytes>(piece.end - at) < bytes) return {};
    return {piece.place.device, piece.place.inode, piece.place.offset + static_cast<Bytes>(at - piece.begin)};
  }
  return {};
}

std::byte* MappedFiles::address_of(const FilePlace& place, Bytes bytes) const noexcept {
  for (const Piece& piece : pieces_) {
    if (!place || piece.place.device != place.device || piece.place.inode != place.inode) continue;
    const Bytes from = place.offset - piece.place.offset;
    if (bytes > 0 && from >= 0 && bytes <= piece.bytes() && from <= piece.bytes() - bytes)
      return reinterpret_cast<std::byte*>(piece.begin) + from;
  }
  return nullptr;
}

SecondMapping::SecondMapping(std::byte* address, Bytes bytes) noexcept
    : skipped_(reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(transport::page_size())),
      bytes_(skipped_ + static_cast<std::size_t>(bytes)) {
  // An old size of zero asks for a second mapping of the same pages, if these are shared.
  void* const pages = mremap(address - skipped_, 0, bytes_, MREMAP_MAYMOVE);
  if (pages != MAP_FAILED) pages_ = static_cast<std::byte*>(pages);
}

SecondMapping::SecondMapping(SecondMapping&& other) noexcept
    : skipped_(other.skipped_), bytes_(other.bytes_), pages_(std::exchange(other.pages_, nullptr)) {}

SecondMapping::~SecondMapping() {
  if (pages_) munmap(pages_, bytes_);
}

}  // namespace heddle::engine
