#include "support/build_type.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::test {
namespace {

using layout::Count;
using layout::Distribution;
using layout::grammar::Combiner;
using layout::grammar::Type;

struct Name {
  std::string_view name;
  MPI_Datatype type;
};

std::vector<Name> names() {
  return {{"char", MPI_CHAR},
          {"signed_char", MPI_SIGNED_CHAR},
          {"byte", MPI_BYTE},
          {"unsigned_char", MPI_UNSIGNED_CHAR},
          {"short", MPI_SHORT},
          {"unsigned_short", MPI_UNSIGNED_SHORT},
          {"int", MPI_INT},
          {"unsigned", MPI_UNSIGNED},
          {"long", MPI_LONG},
          {"unsigned_long", MPI_UNSIGNED_LONG},
          {"long_long", MPI_LONG_LONG},
          {"unsigned_long_long", MPI_UNSIGNED_LONG_LONG},
          {"float", MPI_FLOAT},
          {"double", MPI_DOUBLE},
          {"wchar", MPI_WCHAR},
          {"long_double", MPI_LONG_DOUBLE},
          {"c_bool", MPI_C_BOOL},
          {"complex", MPI_C_FLOAT_COMPLEX},
          {"int8_t", MPI_INT8_T},
          {"double_complex", MPI_C_DOUBLE_COMPLEX},
          {"int16_t", MPI_INT16_T},
          {"uint16_t", MPI_UINT16_T},
          {"int32_t", MPI_INT32_T},
          {"uint32_t", MPI_UINT32_T},
          {"int64_t", MPI_INT64_T},
          {"uint64_t", MPI_UINT64_T},
          {"aint", MPI_AINT},
          {"count", MPI_COUNT},
          {"2int", MPI_2INT},
          {"float_int", MPI_FLOAT_INT},
          {"short_int", MPI_SHORT_INT},
          {"double_int", MPI_DOUBLE_INT},
          {"long_int", MPI_LONG_INT},
          {"long_double_int", MPI_LONG_DOUBLE_INT}};
}

void check(int error, const char* call) {
  if (error != MPI_SUCCESS) throw Refused(std::string(call) + " failed with code " + std::to_string(error));
}

template <class Integer>
std::vector<Integer> as(const std::vector<Count>& numbers) {
  return {numbers.begin(), numbers.end()};
}
std::vector<int> as_distributions(const std::vector<Distribution>& distributions) {
  std::vector<int> codes;
  for (const Distribution d : distributions) {
    codes.push_back(d == Distribution::none    ? MPI_DISTRIBUTE_NONE
                    : d == Distribution::block ? MPI_DISTRIBUTE_BLOCK
                                               : MPI_DISTRIBUTE_CYCLIC);
  }
  return codes;
}

struct Plain {
  using Number = int;
  using Place = MPI_Aint;
  static constexpr const char* suffix = "";
};
#if HOST_LARGE_COUNTS
struct Large {
  using Number = MPI_Count;
  using Place = MPI_Count;
};
#endif

// A constructor in its int form or its large-count form, by the template argument Form.
#if HOST_LARGE_COUNTS
#define CREATE(name, ...)                                              \
  [&] {                                                                \
    if constexpr (std::is_same_v<Form, Large>)                         \
      check(MPI_Type_##name##_c(__VA_ARGS__), "MPI_Type_" #name "_c"); \
    else                                                               \
      check(MPI_Type_##name(__VA_ARGS__), "MPI_Type_" #name);          \
  }()
#else
#define CREATE(name, ...) check(MPI_Type_##name(__VA_ARGS__), "MPI_Type_" #name)
#endif

template <class Form>
class Builder {
  using Number = typename Form::Number;
  using Place = typename Form::Place;

 public:
  static MPI_Datatype build(const Type& t) {
    if (t.combiner == Combiner::named) {
      const MPI_Datatype type = predefined(t.basic->name);
      if (type == MPI_DATATYPE_NULL) throw Refused("the host has no " + std::string(t.basic->name));
      return type;
    }
    std::vector<MPI_Datatype> olds;
    for (const auto& child : t.children) olds.push_back(build(*child));
    const MPI_Datatype made = over(t, olds);
    for (std::size_t i = 0; i < olds.size(); ++i)
      if (t.children[i]->combiner != Combiner::named) check(MPI_Type_free(&olds[i]), "MPI_Type_free");
    return made;
  }

 private:
  static MPI_Datatype over(const Type& t, const std::vector<MPI_Datatype>& olds) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    const auto number = [&](std::size_t i) { return static_cast<Number>(t.numbers[i]); };
    const auto place = [&](std::size_t i) { return static_cast<Place>(t.numbers[i]); };
    const auto list = [&](std::size_t i) { return as<Number>(t.lists[i]); };
    const auto places = [&](std::size_t i) { return as<Place>(t.lists[i]); };
    const auto length = [&](std::size_t i) { return static_cast<Number>(t.lists[i].size()); };
    const int order = t.order == layout::Order::c ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    switch (t.combiner) {
      case Combiner::dup:
        check(MPI_Type_dup(olds[0], &made), "MPI_Type_dup");
        break;
      case Combiner::contiguous:
        CREATE(contiguous, number(0), olds[0], &made);
        break;
      case Combiner::vector:
        CREATE(vector, number(0), number(1), number(2), olds[0], &made);
        break;
      case Combiner::hvector:
        CREATE(create_hvector, number(0), number(1), place(2), olds[0], &made);
        break;
      case Combiner::indexed:
        CREATE(indexed, length(0), list(0).data(), list(1).data(), olds[0], &made);
        break;
      case Combiner::hindexed:
        CREATE(create_hindexed, length(0), list(0).data(), places(1).data(), olds[0], &made);
        break;
      case Combiner::indexed_block:
        CREATE(create_indexed_block, length(0), number(0), list(0).data(), olds[0], &made);
        break;
      case Combiner::hindexed_block:
        CREATE(create_hindexed_block, length(0), number(0), places(0).data(), olds[0], &made);
        break;
      case Combiner::structure:
        CREATE(create_struct, length(0), list(0).data(), places(1).data(), olds.data(), &made);
        break;
      case Combiner::subarray:
        CREATE(create_subarray, static_cast<int>(t.lists[0].size()), list(0).data(), list(1).data(), list(2).data(), order,
               olds[0], &made);
        break;
      case Combiner::darray: {
        std::vector<int> arguments;
        for (const Count a : t.lists[1])
          arguments.push_back(a == layout::default_argument ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(a));
        CREATE(create_darray, static_cast<int>(t.numbers[0]), static_cast<int>(t.numbers[1]),
               static_cast<int>(t.lists[0].size()), list(0).data(), as_distributions(t.distributions).data(), arguments.data(),
               as<int>(t.lists[2]).data(), order, olds[0], &made);
        break;
      }
      case Combiner::resized:
        CREATE(create_resized, olds[0], place(0), place(1), &made);
        break;
      case Combiner::named:
        break;
    }
    return made;
  }
};

}  // namespace

MPI_Datatype predefined(std::string_view name) {
  static const std::vector<Name> all = names();
  for (const Name& known : all)
    if (known.name == name) return known.type;
  return MPI_DATATYPE_NULL;
}

MPI_Datatype build_type(const Type& type, [[maybe_unused]] bool large) {
#if HOST_LARGE_COUNTS
  if (large) return Builder<Large>::build(type);
#endif
  return Builder<Plain>::build(type);
}

Committed::Committed(const Type& type, bool large) {
  type_ = build_type(type, large);
  // A predefined type is already committed and must not be freed. Its duplicate may be freed.
  if (type.combiner == Combiner::named) check(MPI_Type_dup(type_, &type_), "MPI_Type_dup");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Committed::~Committed() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

}  // namespace heddle::test
