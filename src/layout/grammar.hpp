// layout/grammar.hpp: datatypes as text, for `heddle explain`, tests and messages. No MPI in here.
// The manual with examples is docs/layout.md.
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
// Names are those of the standard, in any case, with or without MPI_, Type_ and create_: MPI_Type_create_subarray, MPI_INT.
// In struct(int, 2 double @ 16) a member without @ lies where a C compiler would put it.
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

/// What was written, checked, and the layout it describes.
struct Type {
  Combiner combiner = Combiner::named;
  const BasicType* basic = nullptr;       ///< named
  std::vector<Count> numbers;             ///< contiguous: n. vectors: n, length, stride. blocks: length. resized: lower bound,
                                          ///< extent. darray: ranks, rank.
  std::vector<std::vector<Count>> lists;  ///< indexed, struct: lengths, displacements. blocks: displacements.
                                          ///< subarray: sizes, subsizes, starts. darray: sizes, arguments, grid.
  std::vector<Distribution> distributions;  ///< darray
  Order order = Order::c;                   ///< subarray, darray
  std::vector<TypePtr> children;            ///< struct: one for each member; named: none; others: one.
  Layout layout;
  Count elements = 0;  ///< Entries of the type map.
};

/// What is wrong with the text, and where.
class Error : public std::runtime_error {
 public:
  Error(std::size_t column, const std::string& what);
  [[nodiscard]] std::size_t column() const { return column_; }  ///< In bytes, from 1.
  /// The part of `text` around the place, with a caret below it: two lines of at most 100 characters.
  [[nodiscard]] std::string pointed(std::string_view text) const;

 private:
  std::size_t column_;
};

constexpr std::size_t max_text = 1 << 20;    ///< Bytes of a description.
constexpr std::size_t max_listed = 1 << 20;  ///< Numbers in all lists of a description, ranges written out.
constexpr int max_depth = 64;

/// Reads a description. Error if it is none; nothing else is thrown, whatever the text.
TypePtr parse(std::string_view text);

/// The description in its plainest form: parse(to_string(t)) is t.
std::string to_string(const Type& type);

/// A description of a layout: parse() of it has the same bytes in the same order, and the same bounds. In elements of the basic
/// type `element` where all pieces are made of such, else in bytes. Error: it is too long or too deep to be read.
std::string written(const Layout& layout, std::string_view element = "byte");

}  // namespace heddle::layout::grammar
