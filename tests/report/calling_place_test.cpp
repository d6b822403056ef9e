// The place of a call that comes through a binding. tests/python/test_bindings.py has whole
// programs.
#include "report/calling_place.hpp"

#include <gtest/gtest.h>

#include "report/python_line.hpp"
#include "report/wanted.hpp"

namespace heddle::report::calling_place_test {
namespace {

TEST(CallingPlace, BindingsAreKnownByTheNamesOfTheirFiles) {
  for (const char* file : {"libmpi.so.12", "/usr/lib/libmpich.so.12", "libmpichfort.so.12", "libmpifort.so.12.3.0",
                           "/opt/lib/libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_usempi_ignore_tkr.so.40",
                           "libmpi_cxx.so.40", "libmpi_abi.so.1", "libmpifort_gnu_91.so", "libheddle_mpich.so"})
    EXPECT_EQ(part_of(file), Part::binding) << file;
  for (const char* file :
       {"MPI.cpython-311-x86_64-linux-gnu.so", "/x/mpi4py/MPI.mpich.cpython-311-x86_64-linux-gnu.so", "MPI.abi3.so"})
    EXPECT_EQ(part_of(file), Part::mpi4py) << file;
  for (const char* file : {"", "./app", "/home/libmpi/app", "libmpi_tools.so", "libmpistat.so", "libpetsc.so.3", "MPI.x"})
    EXPECT_EQ(part_of(file), Part::program) << file;
}

TEST(CallingPlace, TheProgramsOwnCallsStay) {
  const void* const here = __builtin_return_address(0);
  EXPECT_EQ(calling_place(here), here);
  EXPECT_EQ(calling_place(nullptr), nullptr);
}

TEST(CallingPlace, ALineOfPythonIsAPlace) {
  const Place place = place_of(PythonLine{.file = "/home/me/heat.py", .function = "exchange", .line = 42});
  EXPECT_EQ(line_of(place), 42);
  EXPECT_EQ(shown(place), "exchange (heat.py:42)");
  EXPECT_TRUE(Wanted("heat.py:42").has("", "MPI_Send", place));
  EXPECT_TRUE(Wanted("exchange").has("", "MPI_Send", place));
  EXPECT_FALSE(Wanted("heat.py:41,x=heat.py+0x0-0xff").has("", "MPI_Send", place));
  EXPECT_EQ(line_of(place_of(__builtin_return_address(0))), 0);
}

TEST(CallingPlace, WithoutPythonThereIsNoLine) {
  EXPECT_EQ(python_line(__builtin_return_address(0)), nullptr);
  EXPECT_EQ(python_line_at(nullptr), nullptr);
}

}  // namespace
}  // namespace heddle::report::calling_place_test
