// report/asked.hpp: HEDDLE_EXPLAIN in a running program: which datatypes are to be told of, once
// each, and what there is to be said of names that nothing has had.
//
//   Asked asked(set.explain);
//   if (asked.uses("face", "MPI_Send", place))                         // somebody wants to know of it
//     if (asked.tell("face", description) == Asked::Telling::first)
//       say(asked.label("face") + ": ...");
//   say(asked.missing());
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/wanted.hpp"

namespace heddle::report {

class Asked {
 public:
  explicit Asked(std::string_view names) : wanted_(names) {}

  /// A call from there uses a datatype of that name. True: it has one of the names, or the call has.
  bool uses(const std::string& datatype, const char* procedure, const Place& place);
  /// What the next datatype is called where it is told of: its name; those without one are told apart by numbers.
  [[nodiscard]] std::string label(const std::string& datatype) const;
  [[nodiscard]] std::string shown(const Place& place) const { return wanted_.shown(place); }

  enum class Telling {
    first,     ///< It is to be told of now.
    again,     ///< It has been told of, whatever its handle was.
    too_many,  ///< There are more than that: to be said,
    left_out,  ///< once.
  };
  /// @param description  What tells a datatype from others of its name.
  Telling tell(const std::string& datatype, const std::string& description);

  /// A sentence on names that nothing had; empty: there are none.
  [[nodiscard]] std::string missing() const;

  /// Datatypes that are told of.
  static constexpr std::size_t most = 100;

 private:
  Wanted wanted_;
  std::set<std::pair<std::string, std::string>> told_;  // name, description
  std::set<std::string> types_met_, places_met_;
};

}  // namespace heddle::report
