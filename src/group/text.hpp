// group/text.hpp: groups as text, for `heddle explain --group`. The manual with examples is
// docs/groups.md.
//
//   parse("0:90000:300")                            every 300th: 0, 300, ... 89700 (the end is not a member)
//   parse("5, 9:3:-1, 100:200")                     ranks and ranges, in this order
//   parse("cart(100 x 100 x 100; *, 7, *)")         a plane of a Cartesian topology, row-major
//   parse("0:1000000 without 9:1000000:10")         all but every tenth rank
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "group/group.hpp"

namespace heddle::group {

/// A fault in the text, and its place.
class TextError : public std::runtime_error {
 public:
  TextError(std::size_t column, const std::string& what)
      : std::runtime_error("column " + std::to_string(column) + ": " + what), column_(column) {}
  [[nodiscard]] std::size_t column() const { return column_; }  ///< In bytes, from 1.

 private:
  std::size_t column_;
};

/// TextError if the text is no group, std::invalid_argument for impossible ranks and ranks that
/// come twice.
Group parse(std::string_view text);

}  // namespace heddle::group
