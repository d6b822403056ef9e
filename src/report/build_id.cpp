// report/build_id.cpp: reads the note NT_GNU_BUILD_ID in the memory of the loaded file.
#include "report/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>

#include "report/place.hpp"

namespace heddle::report {
namespace {

struct Search {
  const std::string& module;
  const std::string& program;
  std::string found;
};

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The notes of a segment, one behind the other: sizes, a name, a description.
std::string id_in(const char* at, std::size_t left) {
  ElfW(Nhdr) note;
  while (left >= sizeof note) {
    std::memcpy(&note, at, sizeof note);
    const std::size_t name = padded(note.n_namesz), whole = sizeof note + name + padded(note.n_descsz);
    if (whole > left) return {};
    const char* const words = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU && std::memcmp(words, ELF_NOTE_GNU, 4) == 0) {
      constexpr const char* digits = "0123456789abcdef";
      std::string id;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(words[name + i]);
        id += {digits[byte / 16], digits[byte % 16]};
      }
      return id;
    }
    at += whole;
    left -= whole;
  }
  return {};
}

/// True: a loaded segment contains the part. Some files have notes that are not in memory.
bool is_loaded(const dl_phdr_info& file, const ElfW(Phdr) & part) {
  for (int i = 0; i < file.dlpi_phnum; ++i)
    if (const ElfW(Phdr)& whole = file.dlpi_phdr[i]; whole.p_type == PT_LOAD && part.p_vaddr >= whole.p_vaddr &&
                                                     part.p_vaddr + part.p_memsz <= whole.p_vaddr + whole.p_filesz)
      return true;
  return false;
}

int look(dl_phdr_info* file, std::size_t /*size*/, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  if ((*file->dlpi_name ? file->dlpi_name : search.program) != search.module) return 0;
  for (int i = 0; i < file->dlpi_phnum && search.found.empty(); ++i)
    if (const ElfW(Phdr)& part = file->dlpi_phdr[i]; part.p_type == PT_NOTE && is_loaded(*file, part))
      search.found = id_in(reinterpret_cast<const char*>(file->dlpi_addr + part.p_vaddr), part.p_memsz);
  return 1;
}

}  // namespace

std::string build_id(const std::string& module) {
  const std::string program = program_file();
  Search search{module, program, {}};
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace heddle::report
