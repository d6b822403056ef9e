// mpi/imports.hpp: what a loaded object imports, and from where: the dynamic section of ELF (System V gABI, chapter 5).
// Includes nothing of Heddle.
//
//   for (const Object& object : loaded_objects()) {
//     if (object.defines("mpi_recv_")) object.redirect([](const char* name) { return ours(name); });
//     if (object.imports("PMPI_Group_free", &MPI_Group_free)) ...        and gets another than ours
//   }
#pragma once

#include <elf.h>
#include <link.h>

#include <functional>
#include <string>
#include <vector>

namespace heddle::mpi {

/// An executable or a library of this process.
class Object {
 public:
  explicit Object(const dl_phdr_info& info);

  [[nodiscard]] const std::string& path() const { return path_; }  ///< Empty: the executable.

  /// Whether the object itself, not one that it needs, exports the symbol.
  [[nodiscard]] bool defines(const char* symbol) const;

  /// Whether it imports the symbol, and finds something else than `ours` there.
  [[nodiscard]] bool imports(const char* symbol, const void* ours) const;

  /// Asks for every symbol that the object imports what it shall be instead, and writes that; null: leave it.
  /// False: a table could not be written.
  [[nodiscard]] bool redirect(const std::function<void*(const char* symbol)>& instead) const;

 private:
  /// Calls take(symbol, address of its slot) for everything that is imported.
  template <class Take>
  void each_import(Take take) const;
  bool write(ElfW(Addr) slot, void* address) const;

  std::string path_;
  ElfW(Addr) base_ = 0;
  const ElfW(Dyn) * dynamic_ = nullptr;
  ElfW(Addr) sealed_ = 0, sealed_end_ = 0;  ///< Read-only since relocation (PT_GNU_RELRO).
};

std::vector<Object> loaded_objects();

}  // namespace heddle::mpi
