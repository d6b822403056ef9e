// report/sums.cpp: adds numbers by their names: least, most, or sum.
#include "report/sums.hpp"

#include <algorithm>

namespace heddle::report {
namespace {

void add_numbers(Json& sum, const Json& row) {
  for (const auto& [name, value] : row.items()) {
    if (value.is_object()) {
      if (!sum.contains(name) || !sum[name].is_object()) sum[name] = Json::object();
      add_numbers(sum[name], value);
    }
    if (!value.is_number() || name == "extent" || name == "lower_bound") continue;  // equal in rows of one key
    if (!sum.contains(name) || !sum[name].is_number())
      sum[name] = value;
    else if (name.ends_with("_min"))
      sum[name] = std::min(sum[name].get<double>(), value.get<double>());
    else if (name.ends_with("_max"))
      sum[name] = std::max(sum[name].get<double>(), value.get<double>());
    else if (value.is_number_integer() && sum[name].is_number_integer())
      sum[name] = sum[name].get<std::int64_t>() + value.get<std::int64_t>();
    else
      sum[name] = sum[name].get<double>() + value.get<double>();
  }
}

}  // namespace

void Sums::add(const Json& row) {
  if (!row.is_object()) return;
  for (const char* text : texts_)
    if (!row.contains(text) || !row[text].is_string()) return;
  std::string key;
  for (const auto& [name, value] : row.items())
    if (value.is_string() && name != remark) ((key += value.get_ref<const std::string&>()) += '\0') += name + '\0';
  auto [at, first] = rows_.try_emplace(std::move(key), row);
  if (!first) add_numbers(at->second, row);
}

Json Sums::take() {
  Json list = Json::array();
  for (auto& [key, row] : rows_) list.push_back(std::move(row));
  rows_.clear();
  return list;
}

}  // namespace heddle::report
