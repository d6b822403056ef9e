# mpi/interposition/procedures.cmake: cmake -D OBJECTS=list -D NM=nm -D TABLE=treatments.csv -D OUT=procedures.cpp -P this
# writes procedures.hpp's two tables: the MPI_ functions that the object files of the list define, and the rows of treatments.csv.
file(READ ${OBJECTS} objects)
execute_process(COMMAND ${NM} --defined-only --extern-only ${objects} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T MPI_[A-Za-z0-9_]+" names "${lines}")
list(TRANSFORM names REPLACE " T " "")
list(SORT names)
set(declared "")
set(rows "")
foreach(name ${names})
  string(APPEND declared "int ${name}();\n")
  string(APPEND rows "    {\"${name}\", reinterpret_cast<void*>(&${name})},\n")
endforeach()
file(STRINGS ${TABLE} table REGEX "^MPIX?_")
set(treated "")
foreach(line ${table})
  string(REGEX MATCH "^([^,]+),([a-z]+)," row "${line}")
  set(ours false)
  if(NOT CMAKE_MATCH_2 STREQUAL passed)
    set(ours true)
  endif()
  string(APPEND treated "    {\"${CMAKE_MATCH_1}\", ${ours}},\n")
endforeach()
file(WRITE ${OUT} "// Made by procedures.cmake.
#include \"mpi/interposition/procedures.hpp\"

extern \"C\" {
${declared}}

namespace heddle::mpi::interposition {
namespace {
const Procedure all[] = {
${rows}};
constexpr Treatment table[] = {
${treated}};
}  // namespace

std::span<const Procedure> procedures() noexcept { return all; }
std::span<const Treatment> treatments() noexcept { return table; }

}  // namespace heddle::mpi::interposition
")
