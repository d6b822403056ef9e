// layout/decoder.hpp: decodes a datatype, which is a tree of datatypes, into a layout and a
// signature. It asks an MPI library, which the caller hands in, level by level.
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
#include "layout/value_pair.hpp"

namespace heddle::layout {

/// The bounds that MPI_Type_get_extent returns.
struct Bounds {
  Bytes lower = 0, extent = 0;
};

/// The contents of a datatype.
template <class Type>
struct Told {
  std::optional<Decoded<Type>> basic{};  ///< The type itself, if it is basic.
  Made made{};
  std::vector<Type> olds{};
  std::vector<Type> given{};  ///< Old types whose handles must be freed.
};

/// Every level takes its bounds from the library. Handles from the library are freed only at the
/// end. Otherwise a new type could get the handle of a type in `seen_`. The levels lie on the heap,
/// because types may be nested deeper than a stack allows.
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

  /// Throws CannotDecode and the exceptions of layout.hpp.
  Decoded<Type> decode(Type type) {
    path_.clear();
    const Decoded<Type>* found = look(type);
    while (!path_.empty()) {
      Level& level = path_.back();
      if (level.decoded.size() < level.olds.size()) {
        // look() may lengthen the path, and so move this level.
        if (const Decoded<Type>* old = look(level.olds[level.decoded.size()])) path_.back().decoded.push_back(old);
      } else {
        found = &close(level);
        path_.pop_back();
      }
    }
    return *found;
  }

 private:
  /// A type on the path to the current type.
  struct Level {
    Type type;
    Made made;
    std::vector<Type> olds;
    std::vector<const Decoded<Type>*> decoded;  ///< The first old types, as far as decoded. They lie in `seen_`.
  };

  /// Returns the type if it is decoded, or basic. Null: the type is now the last level of the path.
  const Decoded<Type>* look(Type type) {
    if (last_ && last_->first == type) return &last_->second;  // structs with thousands of members have few types
    auto seen = seen_.find(type);
    if (seen == seen_.end()) {
      if (const std::optional<Decoded<Type>> found = host_.known(type)) {
        seen = seen_.emplace(type, *found).first;
      } else {
        Told<Type> told = host_.tell(type);
        // First remember the handles to free: the rest may throw.
        to_free_.insert(to_free_.end(), told.given.begin(), told.given.end());
        if (!told.basic) {
          path_.push_back({type, std::move(told.made), std::move(told.olds), {}});
          path_.back().decoded.reserve(path_.back().olds.size());
          return nullptr;
        }
        seen = seen_.emplace(type, *told.basic).first;
      }
    }
    last_ = &*seen;
    return &seen->second;
  }

  const Decoded<Type>& close(const Level& level) {
    Decoded<Type> result = layout::decoded<Type>(level.made, host_.numerals, level.decoded);
    const Bounds bounds = host_.bounds(level.type);
    if (bounds.lower != result.layout.lower_bound() || bounds.extent != result.layout.extent())
      result.layout = resized(result.layout, bounds.lower, bounds.extent);
    return seen_.emplace(level.type, std::move(result)).first->second;
  }

  Host host_;
  std::unordered_map<Type, Decoded<Type>> seen_;
  const std::pair<const Type, Decoded<Type>>* last_ = nullptr;
  std::vector<Level> path_;
  std::vector<Type> to_free_;
};

}  // namespace heddle::layout
