// layout/decoder.hpp: datatypes are made of others: a tree of them becomes a layout and a signature, whose bytes an MPI library
// is asked about level by level. The library is handed in. May include: constructed.hpp, pair.hpp.
//
//   struct Host {
//     using Type = MPI_Datatype;
//     std::optional<Decoded<Type>> known(Type type);        // decoded before
//     Told<Type> tell(Type type);                           // what it was made of. May throw CannotDecode
//     Bounds bounds(Type type);                             // likewise
//     void free(Type type) noexcept;                        // a handle that tell() has given out
//     Numerals numerals;
//   };
//   const Decoded<MPI_Datatype> row = Decoder(Host{}).decode(type);
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layout/constructed.hpp"
#include "layout/pair.hpp"

namespace heddle::layout {

/// As MPI_Type_get_extent has them.
struct Bounds {
  Bytes lower = 0, extent = 0;
};

/// What a datatype was made of.
template <class Type>
struct Told {
  std::optional<Decoded<Type>> basic{};  ///< Of nothing: what it is.
  Made made{};
  std::vector<Type> olds{};
  std::vector<Type> given{};  ///< Those of the old ones whose handles must be freed.
};

/// Every level takes its bounds from the library. Handles that it gives out are freed only at the end, so that while we work no
/// new type can take the number of one we remember.
template <class Host>
class Decoder {
 public:
  using Type = typename Host::Type;

  explicit Decoder(Host host) : host_(std::move(host)) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    for (const Type type : to_free_) host_.free(type);
  }

  /// Throws CannotDecode, and what the constructors of layout.hpp throw.
  Decoded<Type> decode(Type type) {
    if (const auto seen = seen_.find(type); seen != seen_.end()) return seen->second;
    std::optional<Decoded<Type>> found = host_.known(type);
    if (!found) found = decode_new(type);
    seen_.emplace(type, *found);
    return *found;
  }

 private:
  Decoded<Type> decode_new(Type type) {
    Told<Type> told = host_.tell(type);
    // First remember what has to be freed, then look into it: looking may throw.
    to_free_.insert(to_free_.end(), told.given.begin(), told.given.end());
    if (told.basic) return *told.basic;
    std::vector<Decoded<Type>> olds;
    olds.reserve(told.olds.size());
    for (const Type old : told.olds) olds.push_back(decode(old));

    Decoded<Type> result = decoded<Type>(told.made, host_.numerals, olds);
    const Bounds bounds = host_.bounds(type);
    if (bounds.lower != result.layout.lower_bound() || bounds.extent != result.layout.extent())
      result.layout = resized(result.layout, bounds.lower, bounds.extent);
    return result;
  }

  Host host_;
  std::unordered_map<Type, Decoded<Type>> seen_;
  std::vector<Type> to_free_;
};

}  // namespace heddle::layout
