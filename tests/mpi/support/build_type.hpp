// Builds a datatype of the host from a description in the grammar of `heddle explain`. Each level
// uses the constructor that it names. The types of inner levels are freed as soon as the outer type
// exists, as programs do.
//
//   const Committed column(*layout::grammar::parse("vector(8, 1, 10, double)"));
//   MPI_Send(matrix, 1, column, ...);
#pragma once

#include <stdexcept>
#include <string>

#include "layout/grammar.hpp"
#include "support/host.hpp"

namespace heddle::test {

/// The host refuses a type. Open MPI 5.0.11, for one, makes no darray of a type without bytes.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Does not commit the type. `large`: uses the _c constructors, if the host has them.
MPI_Datatype build_type(const layout::grammar::Type& type, bool large = false);

/// A predefined type by its name in the grammar. MPI_DATATYPE_NULL: the host does not have it.
MPI_Datatype predefined(std::string_view name);

class Committed {
 public:
  explicit Committed(const layout::grammar::Type& type, bool large = false);
  explicit Committed(const std::string& text) : Committed(*layout::grammar::parse(text)) {}
  /// Commits and owns a handle.
  explicit Committed(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  Committed(Committed&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  Committed(const Committed&) = delete;
  Committed& operator=(const Committed&) = delete;
  ~Committed();
  operator MPI_Datatype() const { return type_; }  // NOLINT: it stands for its handle

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace heddle::test
