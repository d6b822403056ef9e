// report/asked.cpp: remembers which datatypes were explained, and which names were met.
#include "report/asked.hpp"

namespace heddle::report {
namespace {

template <class Names>
std::string in_a_row(const Names& names) {
  constexpr std::size_t most_listed = 12;
  std::string text;
  std::size_t number = 0;
  for (const std::string& name : names) {
    if (number++ == most_listed) return text + " and " + std::to_string(names.size() - most_listed) + " more";
    text += (text.empty() ? "" : ", ") + (name.empty() ? std::string("one without a name") : name);
  }
  return text;
}

}  // namespace

bool Asked::uses(const std::string& datatype, const char* procedure, const Place& place) {
  types_met_.insert(datatype);
  places_met_.insert(wanted_.shown(place));
  return wanted_.has(datatype, procedure, place);
}

std::string Asked::label(const std::string& datatype) const {
  return datatype.empty() ? "datatype " + std::to_string(told_.size() + 1) : datatype;
}

Asked::Telling Asked::tell(const std::string& datatype, const std::string& description) {
  if (!told_.emplace(datatype, description).second) return Telling::again;
  if (told_.size() <= most) return Telling::first;
  return told_.size() == most + 1 ? Telling::too_many : Telling::left_out;
}

std::string Asked::missing() const {
  const std::vector<std::string> unmet = wanted_.unmet();
  if (unmet.empty()) return {};
  const std::string met = "Rank 0 has met nothing called " + in_a_row(unmet) + ", and other ranks are not asked. ";
  if (types_met_.empty()) return "HEDDLE_EXPLAIN: " + met + "No call of rank 0 moved data of a datatype.";
  return "HEDDLE_EXPLAIN=all explains every datatype. " + met + "Datatypes used there: " + in_a_row(types_met_) +
         "; from: " + in_a_row(places_met_) + ". " +
         (wanted_.prepared()
              ? "`heddle run` looked for functions and lines of these names, too, in the program's file. It finds "
                "functions by symbols, and inlined functions and lines by debug information (-g)."
              : "Functions and lines are found by `heddle run`, in programs with symbols and debug information "
                "(-g).");
}

}  // namespace heddle::report
