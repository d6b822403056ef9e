// layout/basic_types.cpp: the table of predefined datatypes (MPI-5.0 §3.2.2, §5.9.4 for the pairs)
// and their other names.
#include "layout/basic_types.hpp"

#include <algorithm>
#include <string>

namespace heddle::layout {
namespace {

template <class T>
constexpr Scalar scalar(std::string_view name) {
  return {name, sizeof(T), alignof(T)};
}
template <class T>
constexpr BasicType one(std::string_view name) {
  return {name, scalar<T>(name), {}};
}
/// A Fortran or C++ type without a C counterpart; parts of complex numbers give the alignment.
constexpr BasicType sized(std::string_view name, Bytes size, Bytes alignment) { return {name, {name, size, alignment}, {}}; }
template <class First>
constexpr BasicType pair(std::string_view name, std::string_view first) {
  return {name, scalar<First>(first), scalar<int>("int")};
}

constexpr BasicType types[] = {
    one<char>("char"),
    one<signed char>("signed_char"),
    one<unsigned char>("unsigned_char"),
    one<unsigned char>("byte"),
    one<unsigned char>("packed"),
    one<wchar_t>("wchar"),
    one<bool>("c_bool"),
    one<short>("short"),
    one<unsigned short>("unsigned_short"),
    one<int>("int"),
    one<unsigned>("unsigned"),
    one<long>("long"),
    one<unsigned long>("unsigned_long"),
    one<long long>("long_long"),
    one<unsigned long long>("unsigned_long_long"),
    one<float>("float"),
    one<double>("double"),
    one<long double>("long_double"),
    one<std::int8_t>("int8_t"),
    one<std::int16_t>("int16_t"),
    one<std::int32_t>("int32_t"),
    one<std::int64_t>("int64_t"),
    one<std::uint8_t>("uint8_t"),
    one<std::uint16_t>("uint16_t"),
    one<std::uint32_t>("uint32_t"),
    one<std::uint64_t>("uint64_t"),
    one<std::int64_t>("aint"),
    one<std::int64_t>("offset"),
    one<std::int64_t>("count"),
    sized("complex", 8, 4),
    sized("double_complex", 16, 8),
    sized("long_double_complex", 2 * sizeof(long double), alignof(long double)),
    sized("character", 1, 1),
    sized("logical", 4, 4),
    sized("integer", 4, 4),
    sized("real", 4, 4),
    sized("double_precision", 8, 8),
    sized("integer1", 1, 1),
    sized("integer2", 2, 2),
    sized("integer4", 4, 4),
    sized("integer8", 8, 8),
    sized("real4", 4, 4),
    sized("real8", 8, 8),
    sized("real16", 16, 16),
    sized("complex32", 32, 16),
    pair<float>("float_int", "float"),
    pair<double>("double_int", "double"),
    pair<long>("long_int", "long"),
    pair<int>("2int", "int"),
    pair<short>("short_int", "short"),
    pair<long double>("long_double_int", "long_double"),
};

struct Alias {
  std::string_view other;
  std::string_view name;
};
constexpr Alias aliases[] = {
    {"unsigned_int", "unsigned"},
    {"long_long_int", "long_long"},
    {"bool", "c_bool"},
    {"cxx_bool", "c_bool"},
    {"wchar_t", "wchar"},
    {"int_int", "2int"},
    {"c_complex", "complex"},
    {"c_float_complex", "complex"},
    {"cxx_float_complex", "complex"},
    {"c_double_complex", "double_complex"},
    {"cxx_double_complex", "double_complex"},
    {"c_long_double_complex", "long_double_complex"},
    {"cxx_long_double_complex", "long_double_complex"},
    {"complex8", "complex"},
    {"complex16", "double_complex"},
    {"int8", "int8_t"},
    {"int16", "int16_t"},
    {"int32", "int32_t"},
    {"int64", "int64_t"},
    {"uint8", "uint8_t"},
    {"uint16", "uint16_t"},
    {"uint32", "uint32_t"},
    {"uint64", "uint64_t"},
    {"float32", "float"},
    {"float64", "double"},
    {"complex64", "complex"},
    {"complex128", "double_complex"},
};

}  // namespace

std::span<const BasicType> basic_types() { return types; }

const BasicType* find_basic(std::string_view name) {
  std::string key(name.substr(0, 64));  // no name is longer
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (key.starts_with("mpi_")) key.erase(0, 4);
  if (const auto alias = std::ranges::find(aliases, key, &Alias::other); alias != std::end(aliases)) key = alias->name;
  const auto found = std::ranges::find(types, key, &BasicType::name);
  return found == std::end(types) ? nullptr : found;
}

Layout layout_of(const BasicType& type) {
  Layout first = basic(type.first.size, type.first.alignment);
  if (!type.pair()) return first;
  const Count lengths[] = {1, 1};
  const Bytes displacements[] = {0, type.second_at()};
  const Layout members[] = {first, basic(type.second.size, type.second.alignment)};
  return structure(lengths, displacements, members);
}

}  // namespace heddle::layout
