// The environment is read once, by the table. Nonsense gives a message and the default, never a
// crash.
#include "settings/settings.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle::settings {
namespace {

Settings with(std::initializer_list<const char*> lines) {
  std::vector<const char*> environment(lines);
  environment.push_back(nullptr);
  return read(environment.data());
}

TEST(Settings, AnEmptyEnvironmentGivesTheDefaultsOfTheTable) {
  const Settings set = with({});
  EXPECT_TRUE(set.enabled);
  EXPECT_EQ(set.isa, Isa::automatic);
  EXPECT_EQ(set.verbose, 0);
  EXPECT_FALSE(set.doctor);
  EXPECT_EQ(set.yield, Yield::automatic);
  EXPECT_TRUE(set.devices);
  EXPECT_TRUE(set.keep_heap);
  EXPECT_EQ(set.pool_limit, 1 << 30);
  EXPECT_TRUE(set.complaints.empty());

  std::vector<std::string> lines;  // the defaults as the table writes them
  for (const Variable& v : table()) lines.push_back(std::string(v.name) + "=" + std::string(v.fallback));
  std::vector<const char*> environment;
  for (const std::string& line : lines) environment.push_back(line.c_str());
  environment.push_back(nullptr);
  const Settings written = read(environment.data());
  EXPECT_EQ(written.enabled, set.enabled);
  EXPECT_EQ(written.isa, set.isa);
  EXPECT_EQ(written.messages, set.messages);
  EXPECT_EQ(written.transports, set.transports);
  EXPECT_EQ(written.fabric, set.fabric);
  EXPECT_EQ(written.nodes, set.nodes);
  EXPECT_EQ(written.node_memory, set.node_memory);
  EXPECT_EQ(written.verbose, set.verbose);
  EXPECT_EQ(written.doctor, set.doctor);
  EXPECT_EQ(written.yield, set.yield);
  EXPECT_EQ(written.devices, set.devices);
  EXPECT_EQ(written.keep_heap, set.keep_heap);
  EXPECT_EQ(written.pool_limit, set.pool_limit);
  EXPECT_TRUE(written.complaints.empty());
}

TEST(Settings, TheTableNamesEachVariableOnceAndSaysWhatItMeans) {
  std::set<std::string_view> names;
  for (const Variable& v : table()) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_TRUE(v.name == "HEDDLE" || v.name.starts_with("HEDDLE_")) << v.name;
    EXPECT_FALSE(v.values.empty()) << v.name;
    EXPECT_FALSE(v.meaning.empty()) << v.name;
  }
}

TEST(Settings, GoodValuesAreTaken) {
  const Settings set = with(
      {"PATH=/bin", "HEDDLE=off", "HEDDLE_ISA=AVX2", "HEDDLE_MESSAGES=Packed", "HEDDLE_VERBOSE=1", "HEDDLE_POOL_LIMIT=64M"});
  EXPECT_FALSE(set.enabled);
  EXPECT_EQ(set.isa, Isa::avx2);
  EXPECT_EQ(set.messages, Messages::packed);
  EXPECT_EQ(set.verbose, 1);
  EXPECT_EQ(set.pool_limit, 64 << 20);
  EXPECT_TRUE(set.complaints.empty());
}

TEST(Settings, ABadValueIsNamedWithWhatIsAllowedAndTheDefaultIsUsed) {
  const Settings set = with({"HEDDLE_ISA=sse9"});
  EXPECT_EQ(set.isa, Isa::automatic);
  ASSERT_EQ(set.complaints.size(), 1u);
  EXPECT_EQ(set.complaints[0],
            "heddle: HEDDLE_ISA=sse9 is no instruction set that Heddle has kernels for; using auto. "
            "Allowed: auto|portable|avx2|avx512.");
}

TEST(Settings, AbsurdValuesGiveOneComplaintEach) {
  const std::string huge = "HEDDLE_POOL_LIMIT=" + std::string(100000, '9');
  for (const char* line :
       {"HEDDLE=maybe", "HEDDLE_ISA=-1", "HEDDLE_VERBOSE=2", "HEDDLE_VERBOSE=1x", "HEDDLE_VERBOSE=99999999999",
        "HEDDLE_POOL_LIMIT=-1", "HEDDLE_POOL_LIMIT=lots", "HEDDLE_POOL_LIMIT=9999999999T", "HEDDLE_POOL_LIMIT=1Q",
        "HEDDLE_POOL_LIMIT=\xff\xfe", huge.c_str()}) {
    const Settings set = with({line});
    ASSERT_EQ(set.complaints.size(), 1u) << line;
    EXPECT_LT(set.complaints[0].size(), 250u) << line;
    EXPECT_EQ(set.pool_limit, 1 << 30) << line;
    EXPECT_TRUE(set.enabled) << line;
  }
}

TEST(Settings, YieldingIsOnOffOrUpToTheNumberOfRanks) {
  EXPECT_EQ(with({"HEDDLE_YIELD=Auto"}).yield, Yield::automatic);
  EXPECT_EQ(with({"HEDDLE_YIELD=on"}).yield, Yield::on);
  EXPECT_EQ(with({"HEDDLE_YIELD=0"}).yield, Yield::off);
  EXPECT_FALSE(with({"HEDDLE_DEVICES=None"}).devices);
  EXPECT_TRUE(with({"HEDDLE_DEVICES=some"}).devices);
  EXPECT_FALSE(with({"HEDDLE_HEAP=System"}).keep_heap);
  EXPECT_TRUE(with({"HEDDLE_HEAP=mine"}).keep_heap);
  EXPECT_EQ(with({"HEDDLE_WATCH=All"}).watch, Watch::all);
  EXPECT_EQ(with({"HEDDLE_WATCH=none"}).watch, Watch::none);
  EXPECT_EQ(with({"HEDDLE_WATCH=few"}).watch, Watch::some);
  EXPECT_EQ(with({"HEDDLE_WINDOWS=On"}).windows, Windows::on);
  EXPECT_EQ(with({"HEDDLE_WINDOWS=off"}).windows, Windows::off);
  EXPECT_EQ(with({"HEDDLE_WINDOWS=no way"}).windows, Windows::automatic);
  EXPECT_EQ(with({"HEDDLE_FILES=On"}).files, FileAccess::on);
  EXPECT_EQ(with({"HEDDLE_FILES=auto"}).files, FileAccess::automatic);
  EXPECT_EQ(with({"HEDDLE_FILES=no way"}).files, FileAccess::automatic);
  EXPECT_EQ(with({"HEDDLE_LOG=Debug"}).log, Log::debug);
  EXPECT_EQ(with({"HEDDLE_LOG=info"}).log, Log::info);
  EXPECT_EQ(with({"HEDDLE_LOG=trace"}).log, Log::off);
  const Settings bad = with({"HEDDLE_YIELD=sometimes"});
  EXPECT_EQ(bad.yield, Yield::automatic);
  ASSERT_EQ(bad.complaints.size(), 1u);
  EXPECT_EQ(bad.complaints[0], "heddle: HEDDLE_YIELD=sometimes is neither auto, on nor off; using auto. Allowed: auto|on|off.");
}

TEST(Settings, PatienceIsInSeconds) {
  EXPECT_EQ(with({}).patience_s, 60);
  EXPECT_EQ(with({"HEDDLE_PATIENCE=5"}).patience_s, 5);
  for (const char* line : {"HEDDLE_PATIENCE=0", "HEDDLE_PATIENCE=3601", "HEDDLE_PATIENCE=5s", "HEDDLE_PATIENCE=-1"}) {
    const Settings bad = with({line});
    EXPECT_EQ(bad.patience_s, 60) << line;
    EXPECT_EQ(bad.complaints.size(), 1u) << line;
  }
}

TEST(Settings, CollectivesAreOursOrTheHosts) {
  EXPECT_EQ(with({}).collectives, Collectives::automatic);
  EXPECT_EQ(with({"HEDDLE_COLLECTIVES=Native"}).collectives, Collectives::native);
  const Settings bad = with({"HEDDLE_COLLECTIVES=mine"});
  EXPECT_EQ(bad.collectives, Collectives::automatic);
  ASSERT_EQ(bad.complaints.size(), 1u);
}

TEST(Settings, ExchangesGoOneWayOfThree) {
  EXPECT_EQ(with({}).exchange, Exchange::automatic);
  EXPECT_EQ(with({"HEDDLE_EXCHANGE=Consensus"}).exchange, Exchange::consensus);
  EXPECT_EQ(with({"HEDDLE_EXCHANGE=crystal"}).exchange, Exchange::crystal);
  EXPECT_EQ(with({"HEDDLE_EXCHANGE=counts"}).exchange, Exchange::counts);
  EXPECT_EQ(with({"HEDDLE_EXCHANGE=pigeons"}).complaints.size(), 1u);
}

TEST(Settings, TheRouterIsAListOfNumbersAndAWord) {
  EXPECT_EQ(with({"HEDDLE_ROUTER=auto"}).router, Router{});
  EXPECT_EQ(with({"HEDDLE_ROUTER=radix=4,Channels=2,segment=64K"}).router,
            (Router{.radix = 4, .channels = 2, .segment = 64 << 10}));
  EXPECT_EQ(with({"HEDDLE_ROUTER=beside=1G"}).router, (Router{.beside = 1 << 30}));
  EXPECT_EQ(with({"HEDDLE_ROUTER=copies"}).router, (Router{.copies = true}));
  for (const char* bad :
       {"HEDDLE_ROUTER=radix=1", "HEDDLE_ROUTER=copies,", "HEDDLE_ROUTER=segment", "HEDDLE_ROUTER=channels=9"}) {
    EXPECT_EQ(with({bad}).complaints.size(), 1u) << bad;
    EXPECT_EQ(with({bad}).router, Router{}) << bad;
  }
}

// Ranks compare these texts. Equal values give equal texts, however they are written.
TEST(Settings, WhatRanksMustHaveInCommon) {
  EXPECT_EQ(with({"HEDDLE_ALLTOALLV=Crystal"}).alltoallv, "crystal");
  EXPECT_EQ(with({"HEDDLE_ALLTOALLV=crystal|bruck"}).alltoallv, "auto");
  EXPECT_TRUE(with({"HEDDLE_CHECK=on"}).check);
  const auto texts = [](const Settings& set) {
    std::string all;
    for (const Shared& one : shared(set)) all += std::string(one.name) + '=' + one.value + ' ';
    return all;
  };
  EXPECT_EQ(texts(with({"HEDDLE_ROUTER=segment=16K,radix=4", "HEDDLE_CHECK=yes"})),
            texts(with({"HEDDLE_ROUTER=radix=4,segment=16384", "HEDDLE_CHECK=1"})));
  for (const char* one : {"HEDDLE_ALLGATHERV=ring", "HEDDLE_ALLTOALLV=bruck", "HEDDLE_CHECK=on", "HEDDLE_ROUTER=copies",
                          "HEDDLE_ROUTER=radix=2", "HEDDLE_ROUTER=channels=2", "HEDDLE_ROUTER=beside=1"})
    EXPECT_NE(texts(with({one})), texts(with({}))) << one;
}

TEST(Settings, AllgathervGoesByANameOfTheTable) {
  EXPECT_EQ(with({}).allgatherv, "auto");
  EXPECT_EQ(with({"HEDDLE_ALLGATHERV=Ring"}).allgatherv, "ring");
  const Settings bad = with({"HEDDLE_ALLGATHERV=rnig"});
  EXPECT_EQ(bad.allgatherv, "auto");
  ASSERT_EQ(bad.complaints.size(), 1u);
}

TEST(Settings, AnEmptyValueMeansTheDefault) { EXPECT_TRUE(with({"HEDDLE=", "HEDDLE_ISA="}).complaints.empty()); }

TEST(Settings, BytesHaveUnits) {
  EXPECT_EQ(bytes("0").value, 0);
  EXPECT_EQ(bytes("1000").value, 1000);
  EXPECT_EQ(bytes("4k").value, 4096);
  EXPECT_EQ(bytes("4KiB").value, 4096);
  EXPECT_EQ(bytes("4 MB").value, 4 << 20);
  EXPECT_EQ(bytes("2T").value, std::int64_t{2} << 40);
  EXPECT_TRUE(bytes("7b").complaint.empty());
  EXPECT_FALSE(bytes("7ib").complaint.empty());
  EXPECT_FALSE(bytes("").complaint.empty());
}

TEST(Settings, AFabricIsAutoOffOrAProvider) {
  EXPECT_EQ(fabric("auto").value, "auto");
  EXPECT_EQ(fabric("OFF").value, "off");
  EXPECT_EQ(fabric("verbs;ofi_rxm").value, "verbs;ofi_rxm");
  for (const char* nonsense : {"", " ", "tcp,shm", "a b", "tcp="}) EXPECT_FALSE(fabric(nonsense).complaint.empty()) << nonsense;
  EXPECT_EQ(with({"HEDDLE_FABRIC=tcp,shm"}).fabric, "auto");
  EXPECT_EQ(with({"HEDDLE_NODES=4"}).nodes, 4);
  EXPECT_EQ(with({"HEDDLE_NODES=0"}).nodes, 1);
}

TEST(Settings, TransportsAreAListAndMpiIsAlwaysThere) {
  using transport::TransportSet;
  EXPECT_EQ(transports("auto").value, TransportSet());
  EXPECT_EQ(transports("self,mapped,cma,ring").value, TransportSet());
  EXPECT_EQ(transports("self,mapped,xpmem,cma,ring").value, TransportSet().with("xpmem"));
  EXPECT_EQ(transports("Ring, self").value, TransportSet::none().with("ring"));
  EXPECT_EQ(transports("mpi").value, TransportSet::none());
  EXPECT_EQ(transports("cma,cma,mpi").value, TransportSet::none().with("cma"));
  for (const char* nonsense : {"shm", "self,", ",self", "self;ring", "all", "-cma", " "})
    EXPECT_FALSE(transports(nonsense).complaint.empty()) << nonsense;

  const Settings set = with({"HEDDLE_TRANSPORTS=ring,rdma"});
  EXPECT_EQ(set.transports, transport::TransportSet());
  ASSERT_EQ(set.complaints.size(), 1u);
  EXPECT_EQ(set.complaints[0],
            "heddle: HEDDLE_TRANSPORTS=ring,rdma names an unknown transport; using auto. "
            "Allowed: auto, or a list of self,mapped,xpmem,cma,ring,mpi.");
}

TEST(Settings, NodeMemoryHasALeastAndAMost) {
  EXPECT_EQ(with({"HEDDLE_NODE_MEMORY=64M"}).node_memory, 64 << 20);
  for (const char* line :
       {"HEDDLE_NODE_MEMORY=0", "HEDDLE_NODE_MEMORY=4095K", "HEDDLE_NODE_MEMORY=2T", "HEDDLE_NODE_MEMORY=-1"}) {
    const Settings set = with({line});
    EXPECT_EQ(set.node_memory, 256 << 20) << line;
    EXPECT_EQ(set.complaints.size(), 1u) << line;
  }
}

TEST(Settings, UnknownVariablesAreListedWithTheNearestName) {
  const char* environment[] = {"HEDDLE_ISAA=avx2", "HEDDLE_POOLLIMIT=1", "heddle_x=1",       "HEDDLE_TEAPOT=1",
                               "HEDDLER=1",        "HEDDLE_verbose=1",   "HEDDLE_NO_EQUALS", nullptr};
  const std::vector<Unknown> strays = unknown(environment);
  ASSERT_EQ(strays.size(), 5u);
  EXPECT_EQ(strays[0].nearest, "HEDDLE_ISA");
  EXPECT_EQ(strays[1].nearest, "HEDDLE_POOL_LIMIT");
  EXPECT_EQ(strays[2].nearest, "");
  EXPECT_EQ(strays[3].nearest, "HEDDLE_VERBOSE");
  EXPECT_EQ(strays[4].nearest, "");
  const Settings set = read(environment);
  ASSERT_EQ(set.complaints.size(), 5u);
  EXPECT_EQ(set.complaints[0], "heddle: no variable is called HEDDLE_ISAA; it has no effect. Did you mean HEDDLE_ISA?");
  EXPECT_EQ(set.complaints[2], "heddle: no variable is called HEDDLE_TEAPOT; it has no effect. `heddle env` lists them.");
}

}  // namespace
}  // namespace heddle::settings
