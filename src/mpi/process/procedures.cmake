# mpi/process/procedures.cmake: writes the tables of interposition/procedures.hpp.
#
#   cmake -D OBJECTS=list -D NM=nm -D TABLE=treatments.csv -D POSITIONS=positions.csv -D OUT=procedures.cpp -P procedures.cmake
#
# The tables have the MPI_ functions that the object files of the list define, and the rows of
# treatments.csv. positions.csv has the meaning of their parameters (report/positions.py).
cmake_minimum_required(VERSION 3.25)
file(READ ${OBJECTS} objects)
execute_process(COMMAND ${NM} --defined-only --extern-only ${objects} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T MPIX?_[A-Za-z0-9_]+" names "${lines}")
list(TRANSFORM names REPLACE " T " "")
list(SORT names)
file(STRINGS ${TABLE} table REGEX "^MPIX?_")
set(treated "")
foreach(line ${table})
  string(REGEX MATCH "^([^,]+),([a-z]+)," row "${line}")
  set(pattern ${CMAKE_MATCH_1})
  set(treatment ${CMAKE_MATCH_2})
  set(ours false)
  if(NOT treatment STREQUAL passed)
    set(ours true)
  endif()
  string(APPEND treated "    {\"${pattern}\", ${ours}},\n")
endforeach()
# A header may lack procedures that the library has. host.hpp declares those that Heddle calls.
# The rows are constants and call no function: the table must be there before any constructor has
# run.
file(STRINGS ${POSITIONS} positions)
set(observed "")
foreach(line ${positions})
  string(REGEX MATCH "^([^,]+),(.*)$" row "${line}")
  set(positions_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  list(APPEND observed ${CMAKE_MATCH_1})
endforeach()
set(declared "")
set(rows "")
set(number 0)
foreach(name ${names})
  string(APPEND declared "decltype(P${name}) ${name};\n")
  set(row "\"${name}\", reinterpret_cast<void*>(&${name})")
  if(name IN_LIST observed)
    string(APPEND row ", reinterpret_cast<void*>(&Timed<&${name}, ${number}, Positions{${positions_${name}}}>::call)")
  endif()
  string(APPEND rows "    {${row}},\n")
  math(EXPR number "${number} + 1")
endforeach()
set(of_host "")
list(REMOVE_ITEM observed ${names})
foreach(name ${observed})
  set(observer "OfHost<decltype(P${name}), ${number}, Positions{${positions_${name}}}>")
  string(APPEND of_host "    {\"${name}\", reinterpret_cast<void*>(&${observer}::call), &${observer}::host},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by procedures.cmake.
#include \"interposition/procedures.hpp\"

#include <algorithm>
#include <array>

#include \"mpi/lifecycle/observed_call.hpp\"
#include \"mpi/process/host.hpp\"

extern \"C\" {
${declared}}

namespace heddle::interposition {
namespace {
using mpi::timed::Completes;
using mpi::timed::Meets;
using mpi::timed::OfHost;
using mpi::timed::Pattern;
using mpi::timed::Positions;
using mpi::timed::Timed;
const Procedure all[] = {
${rows}};
const Observable all_observed[] = {
${of_host}};
constexpr Treatment table[] = {
${treated}};
constexpr std::array names_passed = std::to_array<Passed>({
#include \"passed_procedures.inc\"
});
static_assert(std::ranges::is_sorted(names_passed, {}, &Passed::hash) &&
              std::ranges::all_of(names_passed, [](const Passed& each) { return each.hash == (gnu_hash(each.name) | 1U); }));
}  // namespace

std::span<const Procedure> procedures() noexcept { return all; }
std::span<const Observable> observed() noexcept { return all_observed; }
std::span<const Treatment> treatments() noexcept { return table; }
std::span<const Passed> passed() noexcept { return names_passed; }

}  // namespace heddle::interposition
")
