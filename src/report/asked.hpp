// report/asked.hpp: HEDDLE_EXPLAIN in a running program. It decides which datatypes are explained,
// each once, and lists names that matched nothing.
//
//   Asked asked(set.explain);
//   if (asked.uses("face", "MPI_Send", place))                         // the user asked for it
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

  /// Records that a call from `place` uses a datatype of that name. True: the user's names include
  /// the datatype's, or one of the call's.
  bool uses(const std::string& datatype, const char* procedure, const Place& place);
  /// The heading for the next datatype: its name, or a number if it has none.
  [[nodiscard]] std::string label(const std::string& datatype) const;
  [[nodiscard]] std::string shown(const Place& place) const { return wanted_.shown(place); }

  enum class Telling {
    first,     ///< Explain it now.
    again,     ///< It has been explained before, maybe under another handle.
    too_many,  ///< The limit is reached now: say so.
    left_out,  ///< The limit was reached before.
  };
  /// @param description  Distinguishes datatypes of one name.
  Telling tell(const std::string& datatype, const std::string& description);

  /// A sentence about names that matched nothing. Empty: all matched.
  [[nodiscard]] std::string missing() const;

  /// Most datatypes that are explained.
  static constexpr std::size_t most = 100;

 private:
  Wanted wanted_;
  std::set<std::pair<std::string, std::string>> told_;  // name, description
  std::set<std::string> types_met_, places_met_;
};

}  // namespace heddle::report
