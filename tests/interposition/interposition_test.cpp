// Taking a host's place, in a process without MPI.
#include "interposition/interposition.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "interposition/object.hpp"
#include "interposition/procedures.hpp"
#include "procedures.hpp"

namespace heddle::interposition {
namespace {

int negative(int n) { return -n; }

const std::array<Procedure, 2> carried_out = {{{"MPI_Absent", reinterpret_cast<void*>(&negative)},  // the host lacks it
                                               {"MPI_Send", reinterpret_cast<void*>(&negative)}}};
constexpr std::array<Treatment, 2> table = {{{"MPI_Send", true}, {"MPI_Pass*", false}}};
std::size_t rows = table.size();
std::span<const Passed> names_passed;

const void* in_host() { return dlsym(RTLD_DEFAULT, "MPI_Passed"); }

/// The object of this process that contains an address.
Object object_of(const void* address) {
  const std::vector<Object> all = loaded_objects();
  const auto found = std::ranges::find_if(all, [&](const Object& each) { return each.contains(address); });
  return found == all.end() ? throw std::runtime_error("it lies nowhere") : *found;
}

class Interposition : public testing::Test {
 protected:
  void SetUp() override {
    rows = table.size();
    names_passed = {};
    ASSERT_EQ(taken() == Taken::no_host ? take_place(in_host(), false) : taken(), Taken::all);
  }
};

TEST(Objects, ProgramIsOneWithoutPath) {
  const Object program = object_of(reinterpret_cast<const void*>(&negative));
  EXPECT_TRUE(program.executable());
  EXPECT_EQ(program.called(), "the program");
}

TEST(Objects, DefinesWhatItExports) {
  const Object host = object_of(in_host());
  ASSERT_TRUE(host.defined("MPI_Passed"));
  EXPECT_EQ(host.address_of(*host.defined("MPI_Passed")), in_host());
  EXPECT_FALSE(host.defined("MPI_Absent"));
  std::vector<std::string> names;
  host.each_defined([&](const char* name, std::uint32_t hash) {
    names.emplace_back(name);
    EXPECT_EQ(hash, gnu_hash(name) | 1U);
  });
  for (const char* name : {"MPI_Passed", "MPI_Send", "PMPI_Send"})
    EXPECT_EQ(std::ranges::count(names, std::string(name)), 1) << name;
}

TEST(Objects, ImportsWhatItCalls) {
  const Object caller = object_of(dlsym(RTLD_DEFAULT, "caller_sends"));
  constexpr std::array<const char*, 2> called = {"MPI_Absent", "MPI_Send"};
  constexpr std::array<const char*, 1> not_called = {"MPI_Passed"};
  EXPECT_TRUE(caller.imports(called));
  EXPECT_FALSE(caller.imports(not_called));
}

TEST_F(Interposition, CallsOfOthersComeByEitherName) {
  EXPECT_EQ(caller_sends(7), -7);
  EXPECT_EQ(caller_sends_by_profiling(7), -7);
  for (const char* name : {"MPI_Send", "PMPI_Send"})
    EXPECT_EQ(dlsym(RTLD_DEFAULT, name), reinterpret_cast<void*>(&negative)) << name;
}

TEST_F(Interposition, OwnCallsGoToTheHost) {
  EXPECT_EQ(MPI_Send(7), 8);
  EXPECT_EQ(PMPI_Send(7), 8);
}

TEST_F(Interposition, MeasurementsReachTheHostByProfilingNames) {
  EXPECT_EQ(measurement_sends(7), -7);
  EXPECT_EQ(measurement_sends_by_profiling(7), 8);
  EXPECT_TRUE(called_past_us("PMPI_Send"));
  EXPECT_FALSE(called_past_us("MPI_Passed"));
  PastUs sent("PMPI_Send"), passed("MPI_Passed");
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(sent.ever());
    EXPECT_FALSE(passed.ever());
  }
}

TEST_F(Interposition, KnowsWhatStandsBehind) {
  EXPECT_NE(std::string(host_path()).find("interposition_host"), std::string::npos) << host_path();
  auto* const behind = reinterpret_cast<int (*)(int)>(host_procedure("MPI_Send"));
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind(7), 8);
  EXPECT_FALSE(host_procedure("MPI_Passed"));
  EXPECT_FALSE(host_procedure("MPI_Absent"));
}

TEST_F(Interposition, ProceduresThatNobodyKnowsAreMissed) {
  EXPECT_EQ(misses(), nullptr);
  --rows;
  EXPECT_STREQ(misses(), "the MPI library has MPI_Passed, which this Heddle does not know");
  const auto known = [](const char* name) { return Passed{gnu_hash(name) | 1U, name}; };
  std::array all = {known("MPI_Alltoall"), known("MPI_Passed"), known("MPI_Send")};
  std::ranges::sort(all, {}, &Passed::hash);
  names_passed = all;
  EXPECT_EQ(misses(), nullptr);
  std::array another = {Passed{gnu_hash("MPI_Passed") | 1U, "MPI_Other"}};
  names_passed = another;
  EXPECT_NE(misses(), nullptr);
}

TEST(Refused, AnAddressOfNoObject) {
  const int local = 0;
  EXPECT_EQ(take_place(&local, false), Taken::refused);
  EXPECT_STREQ(misses(), "Heddle has not taken the MPI library's place");
}

TEST(Refused, AHostThatTheProgramContains) {
  EXPECT_EQ(take_place(reinterpret_cast<const void*>(&negative), false), Taken::in_program);
}

}  // namespace

std::span<const Procedure> procedures() noexcept { return carried_out; }
std::span<const Observable> observed() noexcept { return {}; }
std::span<const Treatment> treatments() noexcept { return std::span(table).first(rows); }
std::span<const Passed> passed() noexcept { return names_passed; }

}  // namespace heddle::interposition

/// Heddle's objects export this name. Tools do not.
extern "C" [[gnu::visibility("default")]] void* heddle_seen_host(const char* name) {
  return heddle::interposition::host_procedure(name);
}
