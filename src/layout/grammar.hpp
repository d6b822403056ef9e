// layout/grammar.hpp: datatypes as text, for `heddle explain`, tests and messages. docs/layout.md
// is the manual, with examples. No MPI in here.
//
//   const grammar::TypePtr type = grammar::parse("vector(128, 8, 4096, int)");
//   pack(type->layout, 1, base, out);
//
//   type     basic name | dup(type) | contiguous(n, type) | vector(n, length, stride, type) | hvector(n, length, bytes, type)
//            indexed(lengths, displacements, type)           hindexed(lengths, bytes, type)
//            indexed_block(length, displacements, type)      hindexed_block(length, bytes, type)
//            struct(lengths, bytes, [type, ...])             struct([n] type [@ bytes], ...)
//            subarray(sizes, subsizes, starts, type [, order=C|F])
//            darray(ranks, rank, sizes, [block|cyclic|none[(n)], ...], grid, type [, order=C|F])
//            resized(type, lower bound, extent)
//   number   -12 | 32*128
//   list     [0, 4, 8] | [0:100:4] (0, 4, ... 96) | [0, 8]*100 (repeated) | a single number for all, where the length is known
//
// Names are the standard's (MPI_Type_create_subarray, MPI_INT), in any case. MPI_, Type_ and
// create_ may be left out. In struct(int, 2 double @ 16), a member without @ lies where a C
// compiler would put it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "layout/basic_types.hpp"

namespace heddle::layout::grammar {

enum class Combiner {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized
};
std::string_view name(Combiner combiner);

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// A type as written, after checks, and its layout.
struct Type {
  Combiner combiner = Combiner::named;
  const BasicType* basic = nullptr;       ///< named
  std::vector<Count> numbers;             ///< contiguous: n. vectors: n, length, stride. blocks: length. resized: lower bound,
                                          ///< extent. darray: ranks, rank.
  std::vector<std::vector<Count>> lists;  ///< indexed, struct: lengths, displacements. blocks: displacements.
                                          ///< subarray: sizes, subsizes, starts. darray: sizes,
                                          ///< arguments, grid.
  std::vector<Distribution> distributions;  ///< darray
  Order order = Order::c;                   ///< subarray, darray
  std::vector<TypePtr> children;            ///< struct: one for each member; named: none; others: one.
  Layout layout;
  Count elements = 0;  ///< Entries of the type map.
};

/// An error in the text, and its column.
class Error : public std::runtime_error {
 public:
  Error(std::size_t column, const std::string& what);
  [[nodiscard]] std::size_t column() const { return column_; }  ///< In bytes, from 1.
  /// The part of `text` around the column, and a caret below: two lines of at most 100 characters.
  [[nodiscard]] std::string pointed(std::string_view text) const;

 private:
  std::size_t column_;
};

constexpr std::size_t max_text = 1 << 20;    ///< Bytes of a description.
constexpr std::size_t max_listed = 1 << 20;  ///< Numbers in all lists of a description, counting each number of a range.
constexpr int max_depth = 64;

/// Reads a description. Throws Error if the text is none, and no other exception.
TypePtr parse(std::string_view text);

/// The description in its plainest form. parse(to_string(t)) gives t again.
std::string to_string(const Type& type);

/// A description of a layout. parse() of it gives the same bytes in the same order, and the same
/// bounds. It uses elements of the basic type `element` if all pieces consist of them, else bytes.
/// Error: the description is too long or too deep for parse().
std::string written(const Layout& layout, std::string_view element = "byte");

}  // namespace heddle::layout::grammar
