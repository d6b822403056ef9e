#include "report/wanted.hpp"

#include <gtest/gtest.h>

namespace heddle::report::wanted_test {
namespace {

using Words = std::vector<std::string>;

const Place in_swap{"/opt/halo", 0x1189, "_Z4swapPd"};  // swap(double*)
const Place nowhere;

TEST(Wanted, NamesOfDatatypesProceduresAndFunctions) {
  Wanted wanted("face,MPI_Recv,swap,edge");
  EXPECT_TRUE(wanted.has("face", "MPI_Send", nowhere));
  EXPECT_TRUE(wanted.has("", "MPI_Recv", nowhere));
  EXPECT_TRUE(wanted.has("", "MPI_Send", in_swap));
  EXPECT_FALSE(wanted.has("plane", "MPI_Send", nowhere));
  EXPECT_EQ(wanted.unmet(), Words{"edge"});
}

TEST(Wanted, ADatatypesNameMayHaveACommaAndNobodyMissesTheWhole) {
  Wanted wanted("a,b");
  EXPECT_TRUE(wanted.has("a,b", "MPI_Send", nowhere));
  EXPECT_EQ(wanted.unmet(), (Words{"a", "b"}));
}

TEST(Wanted, AllIsEverything) { EXPECT_TRUE(Wanted("all").has("", "MPI_Send", nowhere)); }

TEST(Wanted, PlacesByModuleAndOffset) {
  EXPECT_TRUE(Wanted("halo+0x1189").has("", "MPI_Send", in_swap));
  EXPECT_FALSE(Wanted("halo+0x118a").has("", "MPI_Send", in_swap));
  EXPECT_FALSE(Wanted("other+0x1189").has("", "MPI_Send", in_swap));
}

TEST(Wanted, ARangeHasAName) {
  Wanted wanted("exchange=halo+0x1100-0x1189");
  EXPECT_TRUE(wanted.has("", "MPI_Send", in_swap));
  EXPECT_EQ(wanted.shown(in_swap), "exchange (halo+0x1189)");
  EXPECT_FALSE(Wanted("exchange=halo+0x1189-0x1200").has("", "MPI_Send", in_swap)) << "a call returns behind where it began";
}

TEST(Wanted, HeddleRunAddsNothingToAName) {
  Wanted wanted("a,b,?,a=halo+0x1100-0x1189");
  EXPECT_TRUE(wanted.has("a,b", "MPI_Send", nowhere));
}

TEST(Wanted, ALineIsShownAndNotAskedFor) {
  Wanted wanted("face,?,?swap (halo.c:42)=halo+0x1188-0x1189");
  EXPECT_TRUE(wanted.prepared());
  EXPECT_FALSE(Wanted("face").prepared());
  EXPECT_EQ(wanted.shown(in_swap), "swap (halo.c:42)");
  EXPECT_EQ(wanted.shown({"/opt/halo", 0x1188, ""}), "halo+0x1188");
  EXPECT_FALSE(wanted.has("edge", "MPI_Send", in_swap));
  EXPECT_EQ(wanted.unmet(), Words{"face"});
}

TEST(Shown, FunctionModuleAndOffset) {
  EXPECT_EQ(shown(in_swap), "swap (halo+0x1189)");
  EXPECT_EQ(shown({"/opt/halo", 0x20, ""}), "halo+0x20");
  EXPECT_EQ(shown(nowhere), "an unknown place");
}

}  // namespace
}  // namespace heddle::report::wanted_test
