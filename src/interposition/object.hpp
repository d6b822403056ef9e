// interposition/object.hpp: a loaded object of this process, with its imports and its definitions,
// by the dynamic section of ELF (System V gABI, chapter 5).
//
//   for (const Object& object : loaded_objects()) {
//     object.each_import([&](const char* name, Slot slot) { if (slot.value() == theirs) ok &= object.write(slot, ours); });
//     if (const ElfW(Sym)* symbol = object.defined("MPI_Recv")) ...
//   }
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace heddle::interposition {

/// The place of an imported symbol's address.
struct Slot {
  void** address;
  bool by_stub;  ///< A slot of the linkage table. The first call fills it, unless the object is bound at once.
  /// The address in the slot. The slot may be anywhere in an object's variables, even in gaps that
  /// a sanitizer guards.
  [[nodiscard]] void* value() const noexcept;
};

/// An executable or a library of this process.
class Object {
 public:
  explicit Object(const dl_phdr_info& info);

  [[nodiscard]] const std::string& path() const { return path_; }  ///< Empty: the executable.
  [[nodiscard]] bool executable() const { return path_.empty(); }
  /// Its name in a sentence.
  [[nodiscard]] std::string called() const { return executable() ? "the program" : path_; }
  [[nodiscard]] ElfW(Addr) base() const { return base_; }
  /// True if an address lies in one of its segments.
  [[nodiscard]] bool contains(const void* address) const {
    const auto place = reinterpret_cast<ElfW(Addr)>(address);
    return place - lowest_ < reach_ && segment_of(place) != nullptr;
  }

  /// The symbol of that name that the object itself exports, or null.
  [[nodiscard]] const ElfW(Sym) * defined(const char* name) const;
  /// The address of a symbol of this object.
  [[nodiscard]] void* address_of(const ElfW(Sym) & symbol) const;
  /// Visits the names of all functions that it exports.
  /// @param hash  gnu_hash() of the name, with its lowest bit set.
  void each_defined(const std::function<void(const char* name, std::uint32_t hash)>& take) const;

  /// Visits every slot that the loader fills with the address of a symbol of another object.
  void each_import(const std::function<void(const char* name, Slot slot)>& take) const;
  /// Visits only slots that hold an address within `other`. These are few of thousands, so only
  /// their names are read.
  void each_import_from(const Object& other, const std::function<void(const char* name, Slot slot)>& take) const;
  /// True if it imports one of these names. A name that it defines itself does not count, even if
  /// it has a slot for it.
  [[nodiscard]] bool imports(std::span<const char* const> wanted) const;

  /// Addresses within another object that its variables hold. A tool keeps the results of dlsym()
  /// there.
  [[nodiscard]] std::vector<const void*> addresses_held(const Object& other) const;

  /// Writes into a slot, even if the loader has sealed it. False: the system refuses.
  [[nodiscard]] bool write(const Slot& slot, void* address) const;

  /// While it lives, symbols of the object can be written, if the system allows it.
  class Writable {
   public:
    Writable(const Object& object, std::span<const ElfW(Sym) * const> symbols);
    ~Writable();
    Writable(const Writable&) = delete;
    Writable& operator=(const Writable&) = delete;
    explicit operator bool() const { return bytes_ > 0; }

   private:
    void* begin_ = nullptr;
    std::size_t bytes_ = 0;
    int protection_ = 0;
  };

 private:
  template <class T>
  [[nodiscard]] const T* table(ElfW(Sxword) tag) const;
  template <class Wanted>
  void each_import_if(Wanted wanted, const std::function<void(const char* name, Slot slot)>& take) const;
  [[nodiscard]] const ElfW(Phdr) * segment_of(ElfW(Addr) address) const;

  std::string path_;
  ElfW(Addr) base_ = 0;
  ElfW(Addr) lowest_ = 0, reach_ = 0;  ///< All segments lie in reach_ bytes from lowest_ on.
  std::span<const ElfW(Phdr)> segments_;
  const ElfW(Dyn) * dynamic_ = nullptr;
  ElfW(Addr) sealed_ = 0, sealed_end_ = 0;  ///< Read-only since relocation (PT_GNU_RELRO).
};

std::vector<Object> loaded_objects();

/// The number of objects that this process has ever loaded. As long as it stays the same, no object
/// is new.
unsigned long long objects_ever_loaded() noexcept;

}  // namespace heddle::interposition
