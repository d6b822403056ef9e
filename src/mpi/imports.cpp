// mpi/imports.cpp
#include "mpi/imports.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>

namespace heddle::mpi {
namespace {

/// Relocations that put the address of a symbol into a slot: calls by stub, calls by table, pointers in data.
bool is_address_of_symbol(ElfW(Xword) info) {
  const auto type = ELF64_R_TYPE(info);
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
  static_cast<void>(type);
  return false;
#endif
}

/// The linker's own words for where things are.
template <class T>
T* at(ElfW(Addr) address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// An entry of the section; 0 if there is none.
ElfW(Addr) entry(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
  for (; dynamic->d_tag != DT_NULL; ++dynamic)
    if (dynamic->d_tag == tag) return dynamic->d_un.d_ptr;
  return 0;
}

}  // namespace

Object::Object(const dl_phdr_info& info) : path_(info.dlpi_name ? info.dlpi_name : ""), base_(info.dlpi_addr) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_DYNAMIC) dynamic_ = at<const ElfW(Dyn)>(base_ + part.p_vaddr);
    if (part.p_type == PT_GNU_RELRO) {
      sealed_ = base_ + part.p_vaddr;
      sealed_end_ = sealed_ + part.p_memsz;
    }
  }
}

bool Object::defines(const char* symbol) const {
  void* handle = dlopen(path_.empty() ? nullptr : path_.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return false;
  const void* found = dlsym(handle, symbol);
  dlclose(handle);
  Dl_info where{};
  link_map* object = nullptr;
  return found && dladdr1(found, &where, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 && object->l_addr == base_;
}

bool Object::write(ElfW(Addr) slot, void* address) const {
  auto* const word = at<void*>(slot);
  if (*word == address) return true;
  const bool sealed = slot >= sealed_ && slot < sealed_end_;
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  void* const begin = at<void>(slot & ~(page - 1));
  if (sealed && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  *word = address;
  if (sealed) mprotect(begin, page, PROT_READ);
  return true;
}

template <class Take>
void Object::each_import(Take take) const {
  if (!dynamic_) return;
  // glibc makes the addresses of the section absolute, other loaders leave them relative to the object.
  const auto table = [this](ElfW(Sxword) tag) {
    const ElfW(Addr) address = entry(dynamic_, tag);
    return address != 0 && address < base_ ? address + base_ : address;
  };
  const char* const names = at<const char>(table(DT_STRTAB));
  const auto* const symbols = at<const ElfW(Sym)>(table(DT_SYMTAB));
  if (!names || !symbols) return;
  const auto all_of = [&](ElfW(Addr) begin, ElfW(Xword) bytes) {
    if (begin == 0) return;
    for (const ElfW(Rela) & slot : std::span(at<const ElfW(Rela)>(begin), bytes / sizeof(ElfW(Rela)))) {
      const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(slot.r_info)];
      if (!is_address_of_symbol(slot.r_info) || slot.r_addend != 0 || symbol.st_shndx != SHN_UNDEF) continue;
      take(names + symbol.st_name, base_ + slot.r_offset);
    }
  };
  all_of(table(DT_JMPREL), entry(dynamic_, DT_PLTRELSZ));
  all_of(table(DT_RELA), entry(dynamic_, DT_RELASZ));
}

bool Object::imports(const char* symbol, const void* ours) const {
  bool found = false;
  each_import(
      [&](const char* name, ElfW(Addr) slot) { found |= std::strcmp(name, symbol) == 0 && *at<const void*>(slot) != ours; });
  return found;
}

bool Object::redirect(const std::function<void*(const char* symbol)>& instead) const {
  bool written = true;
  each_import([&](const char* name, ElfW(Addr) slot) {
    if (void* address = instead(name)) written = write(slot, address) && written;
  });
  return written;
}

std::vector<Object> loaded_objects() {
  std::vector<Object> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        static_cast<std::vector<Object>*>(all)->emplace_back(*info);
        return 0;
      },
      &objects);
  return objects;
}

}  // namespace heddle::mpi
