// report/sums.hpp: adds up rows of JSON.
//
//   Sums sums{"call", "way"};                                        // texts that a row must have
//   sums.add({{"call", "send"}, {"way", "packed"}, {"calls", 1}});   // texts say what a row is of; numbers are added up,
//   sums.add({{"call", "send"}, {"way", "packed"}, {"calls", 2}});   // those of objects in it, too; X_min and X_max are not
//                                                                    // but for its `remark`
//   Json list = sums.take();                                         // one row of 3 calls, in the order of the texts
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle::report {

using Json = nlohmann::ordered_json;

/// The only text that is not a part of a row's key. The first row's text stays.
constexpr const char* remark = "why";

class Sums {
 public:
  Sums(std::initializer_list<const char*> texts) : texts_(texts.begin(), texts.end()) {}

  /// Adds a row. Other JSON is ignored.
  void add(const Json& row);
  Json take();

 private:
  std::vector<const char*> texts_;
  std::map<std::string, Json> rows_;
};

}  // namespace heddle::report
