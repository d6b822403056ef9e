// interposition/object.cpp: reads the dynamic section, symbol tables and relocations of a loaded
// object, and writes its slots.
#include "interposition/object.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "interposition/procedures.hpp"

namespace heddle::interposition {
namespace {

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

/// A pointer to an address as the linker gives it.
template <class T>
T* at(ElfW(Addr) address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// An entry of the dynamic section; 0 if there is none.
ElfW(Addr) entry(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic)
    if (dynamic->d_tag == tag) return dynamic->d_un.d_ptr;
  return 0;
}

/// The table DT_GNU_HASH. It has four numbers, a Bloom filter (not used here), buckets, and a hash
/// for each symbol from `first` on. The lowest bit of a hash ends a bucket.
struct GnuHash {
  std::uint32_t buckets, first, words, shift;

  [[nodiscard]] const std::uint32_t* bucket() const {
    return reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const ElfW(Addr)*>(this + 1) + words);
  }
  [[nodiscard]] std::uint32_t hash(std::uint32_t symbol) const { return bucket()[buckets + symbol - first]; }
};

bool exported(const ElfW(Sym) & symbol) {
  return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

}  // namespace

Object::Object(const dl_phdr_info& info)
    : path_(info.dlpi_name ? info.dlpi_name : ""), base_(info.dlpi_addr), segments_(info.dlpi_phdr, info.dlpi_phnum) {
  ElfW(Addr) end = 0;
  lowest_ = ~ElfW(Addr){0};
  for (const ElfW(Phdr) & part : segments_) {
    if (part.p_type == PT_LOAD) {
      lowest_ = std::min(lowest_, base_ + part.p_vaddr);
      end = std::max(end, base_ + part.p_vaddr + part.p_memsz);
    }
    if (part.p_type == PT_DYNAMIC) dynamic_ = at<const ElfW(Dyn)>(base_ + part.p_vaddr);
    if (part.p_type == PT_GNU_RELRO) {
      sealed_ = base_ + part.p_vaddr;
      sealed_end_ = sealed_ + part.p_memsz;
    }
  }
  reach_ = end > lowest_ ? end - lowest_ : 0;
}

const ElfW(Phdr) * Object::segment_of(ElfW(Addr) address) const {
  const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && address - (base_ + part.p_vaddr) < part.p_memsz;
  });
  return found == segments_.end() ? nullptr : &*found;
}

// glibc makes the addresses of the dynamic section absolute. Other loaders leave them relative to
// the object.
template <class T>
const T* Object::table(ElfW(Sxword) tag) const {
  const ElfW(Addr) address = entry(dynamic_, tag);
  return at<const T>(address != 0 && address < base_ ? address + base_ : address);
}

const ElfW(Sym) * Object::defined(const char* name) const {
  const char* const names = table<char>(DT_STRTAB);
  const auto* const symbols = table<ElfW(Sym)>(DT_SYMTAB);
  if (!names || !symbols) return nullptr;
  if (const auto* hash = table<GnuHash>(DT_GNU_HASH)) {
    const std::uint32_t wanted = gnu_hash(name);
    std::uint32_t i = hash->buckets > 0 ? hash->bucket()[wanted % hash->buckets] : 0;
    for (; i >= hash->first && i != 0; ++i) {
      if ((hash->hash(i) | 1) == (wanted | 1) && exported(symbols[i]) && std::strcmp(names + symbols[i].st_name, name) == 0)
        return &symbols[i];
      if (hash->hash(i) & 1) break;
    }
    return nullptr;
  }
  const auto* const hash = table<std::uint32_t>(DT_HASH);  // buckets, symbols, ...
  for (std::uint32_t i = 0; hash && i < hash[1]; ++i)
    if (exported(symbols[i]) && std::strcmp(names + symbols[i].st_name, name) == 0) return &symbols[i];
  return nullptr;
}

void* Object::address_of(const ElfW(Sym) & symbol) const { return at<void>(base_ + symbol.st_value); }

void Object::each_defined(const std::function<void(const char* name, std::uint32_t hash)>& take) const {
  const char* const names = table<char>(DT_STRTAB);
  const auto* const symbols = table<ElfW(Sym)>(DT_SYMTAB);
  if (!names || !symbols) return;
  const auto is_function = [&](std::uint32_t i) {
    return exported(symbols[i]) && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC;
  };
  if (const auto* hash = table<GnuHash>(DT_GNU_HASH)) {
    for (const std::uint32_t start : std::span(hash->bucket(), hash->buckets)) {
      if (start < hash->first || start == 0) continue;
      std::uint32_t i = start;
      do
        if (is_function(i)) take(names + symbols[i].st_name, hash->hash(i) | 1U);
      while ((hash->hash(i++) & 1) == 0);
    }
  } else if (const auto* old = table<std::uint32_t>(DT_HASH)) {
    for (std::uint32_t i = 0; i < old[1]; ++i)
      if (is_function(i)) take(names + symbols[i].st_name, gnu_hash(names + symbols[i].st_name) | 1U);
  }
}

template <class Wanted>
void Object::each_import_if(Wanted wanted, const std::function<void(const char* name, Slot slot)>& take) const {
  const char* const names = table<char>(DT_STRTAB);
  const auto* const symbols = table<ElfW(Sym)>(DT_SYMTAB);
  if (!names || !symbols) return;
  const auto all_of = [&](const ElfW(Rela) * first, ElfW(Xword) bytes, bool by_stub) {
    if (!first) return;
    for (const ElfW(Rela) & slot : std::span(first, bytes / sizeof(ElfW(Rela)))) {
      if (!is_address_of_symbol(slot.r_info) || slot.r_addend != 0) continue;
      const Slot place{at<void*>(base_ + slot.r_offset), by_stub};
      if (wanted(place)) take(names + symbols[ELF64_R_SYM(slot.r_info)].st_name, place);
    }
  };
  all_of(table<ElfW(Rela)>(DT_JMPREL), entry(dynamic_, DT_PLTRELSZ), true);
  all_of(table<ElfW(Rela)>(DT_RELA), entry(dynamic_, DT_RELASZ), false);
}

void Object::each_import(const std::function<void(const char* name, Slot slot)>& take) const {
  each_import_if([](const Slot&) { return true; }, take);
}

void Object::each_import_from(const Object& other, const std::function<void(const char* name, Slot slot)>& take) const {
  each_import_if([&other](const Slot& slot) { return other.contains(slot.value()); }, take);
}

bool Object::imports(std::span<const char* const> wanted) const {
  bool found = false;
  each_import([&](const char* name, Slot) {
    found = found || std::any_of(wanted.begin(), wanted.end(),
                                 [&](const char* each) { return std::strcmp(each, name) == 0 && !defined(each); });
  });
  return found;
}

// This reads all words of the object's variables, including the gaps that a sanitizer puts between
// them.
[[gnu::no_sanitize("address", "thread")]] std::vector<const void*> Object::addresses_held(const Object& other) const {
  std::vector<const void*> found;
  for (const ElfW(Phdr) & part : segments_) {
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_W) || !(part.p_flags & PF_R)) continue;
    const ElfW(Addr) word = sizeof(void*);
    const ElfW(Addr) begin = (base_ + part.p_vaddr + word - 1) & ~(word - 1);
    const ElfW(Addr) end = (base_ + part.p_vaddr + part.p_memsz) & ~(word - 1);
    for (ElfW(Addr) place = begin; place < end; place += word) {
      const void* const value = *at<const void* const volatile>(place);
      if (value && other.contains(value)) found.push_back(value);
    }
  }
  return found;
}

[[gnu::no_sanitize("address", "thread")]] void* Slot::value() const noexcept { return *address; }

bool Object::write(const Slot& slot, void* address) const {
  if (slot.value() == address) return true;
  const auto where = reinterpret_cast<ElfW(Addr)>(slot.address);
  const bool sealed = where >= sealed_ && where < sealed_end_;
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  void* const begin = at<void>(where & ~(page - 1));
  if (sealed && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  *slot.address = address;
  if (sealed) mprotect(begin, page, PROT_READ);
  return true;
}

Object::Writable::Writable(const Object& object, std::span<const ElfW(Sym) * const> symbols) {
  if (symbols.empty()) return;
  const auto [low, high] = std::minmax_element(symbols.begin(), symbols.end());
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  const ElfW(Addr) begin = reinterpret_cast<ElfW(Addr)>(*low) & ~(page - 1);
  const ElfW(Addr) end = (reinterpret_cast<ElfW(Addr)>(*high + 1) + page - 1) & ~(page - 1);
  const ElfW(Phdr)* segment = object.segment_of(reinterpret_cast<ElfW(Addr)>(*low));
  if (!segment) return;
  protection_ = (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
                (segment->p_flags & PF_X ? PROT_EXEC : 0);  // old linkers put symbols and code into one segment
  begin_ = at<void>(begin);
  if (mprotect(begin_, end - begin, protection_ | PROT_WRITE) == 0) bytes_ = end - begin;
}

Object::Writable::~Writable() {
  if (bytes_ > 0) mprotect(begin_, bytes_, protection_);
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

unsigned long long objects_ever_loaded() noexcept {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* count) {
        *static_cast<unsigned long long*>(count) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

}  // namespace heddle::interposition
