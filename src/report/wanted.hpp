// report/wanted.hpp: the names of HEDDLE_EXPLAIN, and a test whether a datatype, or the place of a
// call, has one of them.
//
//   Wanted wanted("face,exchange=halo+0x1189-0x11f0");         // heddle run has found that function's range
//   if (wanted.has("edge", "MPI_Send", place)) ...
//   wanted.unmet()                                             // {"face"}
//
//   a datatype's name | a procedure of MPI | a function that the loader knows | MODULE+OFFSET | all
//   NAME=MODULE+FROM-TO     calls from there have that name, too
//   ?LINE=MODULE+FROM-TO    calls from there are shown as this line; nothing is asked for
//   ?                       `heddle run` has looked for functions and lines
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/place.hpp"

namespace heddle::report {

class Wanted {
 public:
  /// @param text  Names, separated by commas. The name of a datatype may have a comma.
  explicit Wanted(std::string_view text);

  /// True if one of the names matches. Remembers the names that matched.
  bool has(std::string_view datatype, std::string_view procedure, const Place& place);
  /// Like report::shown(), with the name of the range that contains the place.
  [[nodiscard]] std::string shown(const Place& place) const;
  /// `heddle run` has looked for functions and lines.
  [[nodiscard]] bool prepared() const { return prepared_; }
  /// Names that matched nothing.
  [[nodiscard]] std::vector<std::string> unmet() const;

 private:
  /// Calls return to `from` < offset <= `to`.
  struct Range {
    std::string module;  ///< File name without folders.
    std::uint64_t from, to;

    [[nodiscard]] bool has(const Place& place) const;
  };
  struct Name {
    std::string word;
    std::vector<Range> ranges;
    bool met = false;
  };

  void add(std::string_view part);
  Name& named(std::string_view word);
  static bool read(std::string_view text, Range& range);
  static bool of_place(const Name& name, const Place& place);

  std::vector<Name> names_;
  std::vector<std::pair<std::string, Range>> lines_;  // where calls are shown as lines
  bool prepared_ = false;
};

/// "swap (halo+0x1189)", or "halo+0x1189" if no function is known.
std::string shown(const Place& place);

}  // namespace heddle::report
