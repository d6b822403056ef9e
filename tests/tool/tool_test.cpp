// heddle-tool as scripts use it: JSON on stdout, or one clear line on stderr and exit code 2.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

struct Outcome {
  int code;
  std::string text;  // stdout, or stdout and stderr
};

/// Runs heddle-tool in a shell; `environment` is "NAME=value ...".
Outcome run(const std::string& arguments, const std::string& environment = "") {
  const std::string command = "env -u HEDDLE_ISA " + environment + " " + HEDDLE_TOOL + " " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {-1, "popen failed"};
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

json explained(const std::string& description, const std::string& more = "") {
  const Outcome outcome = run("explain '" + description + "' --json " + more);
  EXPECT_EQ(outcome.code, 0) << description;
  return json::parse(outcome.text);
}

/// Runs a wrong command line and returns the message about it. Stdout must stay empty.
std::string complaint(const std::string& arguments) {
  EXPECT_EQ(run(arguments + " 2>/dev/null").text, "") << arguments;
  const Outcome outcome = run(arguments + " 2>&1");
  EXPECT_EQ(outcome.code, 2) << arguments;
  return outcome.text;
}

TEST(Explain, TellsEverythingAboutAVector) {
  const json about = explained("vector(128, 8, 4096, int)", "--segments 2 --entries 3");
  EXPECT_EQ(about["input"], "vector(128, 8, 4096, int)");
  EXPECT_EQ(about["size"], 4096);
  EXPECT_EQ(about["extent"], 127 * 16384 + 32);
  EXPECT_EQ(about["canonical"], "loop 128 × 16384 B { block 32 }");
  EXPECT_EQ(about["type_map"]["total"], 1024);
  EXPECT_EQ(about["type_map"]["entries"], json::parse(R"([{"offset": 0, "length": 4, "name": "int"},
                                                          {"offset": 4, "length": 4, "name": "int"},
                                                          {"offset": 8, "length": 4, "name": "int"}])"));
  EXPECT_EQ(about["segments"], json::parse(R"([{"offset": 0, "length": 32, "packed": 0},
                                               {"offset": 16384, "length": 32, "packed": 32}])"));
  EXPECT_EQ(about["tree"]["node"]["kind"], "loop");
  EXPECT_EQ(about["tree"]["node"]["child"]["length"], 32);
  EXPECT_EQ(about["shape"]["blocks"], 128);
  EXPECT_FALSE(about["plan"].empty());
}

/// The texts between backquotes in a line.
std::vector<std::string> in_backquotes(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t open = line.find('`'); open != std::string::npos;) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string::npos) break;
    found.push_back(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return found;
}

TEST(Explain, TheManualTellsTheTruth) {
  std::ifstream manual(HEDDLE_MANUAL);
  int claims = 0;
  for (std::string line; std::getline(manual, line);) {
    const std::vector<std::string> cells = in_backquotes(line);
    if (!line.starts_with("| ") || !line.ends_with("` |") || cells.size() < 2) continue;
    EXPECT_EQ(explained(cells[cells.size() - 2])["canonical"], cells.back()) << line;
    ++claims;
  }
  EXPECT_GT(claims, 30);
}

TEST(Explain, CountsElements) {
  const json about = explained("resized(int, 0, 16)", "--count 5");
  EXPECT_EQ(about["size"], 4);
  EXPECT_EQ(about["shape"]["size"], 20);
  EXPECT_EQ(about["type_map"]["total"], 5);
  EXPECT_EQ(about["segments"].size(), 5u);
}

TEST(Explain, TheEmptyTypeIsAnswerable) {
  const json about = explained("contiguous(0, int)");
  EXPECT_EQ(about["size"], 0);
  EXPECT_EQ(about["canonical"], "nothing");
  EXPECT_EQ(about["tree"]["kind"], "nothing");
  EXPECT_TRUE(about["segments"].empty());
}

/// The first sentence of a type's plan.
std::string first_of_plan(const std::string& description) { return explained(description)["plan"][0]; }

TEST(Explain, ThePlanNamesTheWay) {
  EXPECT_NE(first_of_plan("contiguous(100, double)").find("never copied"), std::string::npos);
  EXPECT_NE(first_of_plan("contiguous(64, resized(vector(64, 1, 64, double_complex), 0, 16))").find("transposed order"),
            std::string::npos);
  EXPECT_NE(first_of_plan("subarray([64, 64, 64], [8, 8, 8], [1, 2, 3], double)").find("packed in memory order"),
            std::string::npos);
  EXPECT_NE(first_of_plan("contiguous(100, struct(char, 3 double, int @ 64))").find("100 records of 3 pieces"),
            std::string::npos);
  EXPECT_NE(first_of_plan("indexed_block(1, [5, 3, 8, 22, 1], double)").find("index list: 5 blocks"), std::string::npos);
  EXPECT_NE(first_of_plan("contiguous(0, int)").find("nothing to pack"), std::string::npos);
}

TEST(Explain, HugeAndAbsurdTypesAnswerAtOnce) {
  EXPECT_EQ(explained("contiguous(1000000000000, resized(int, 0, 8))")["type_map"]["total"], 1000000000000);
  EXPECT_EQ(explained("indexed_block(1, [0:1000000]*1, resized(int, 0, 8))")["shape"]["blocks"], 1000000);
  EXPECT_EQ(explained("struct([1]*3, [0, -8, 4611686018427], [int, double, char])")["size"], 13);
}

TEST(Explain, MistakesArePointedAt) {
  EXPECT_EQ(complaint("explain 'vector(128, 8, 4096, itn)'"),
            "heddle: column 22: expected a type, found 'itn'; did you mean int?\nvector(128, 8, 4096, itn)\n                   "
            "  ^\n");
  EXPECT_EQ(complaint("explain ''"), "heddle: column 1: expected a type, found the end\n\n^\n");
  EXPECT_EQ(complaint("explain --json 'contiguous(3 int)'"),
            "heddle: column 14: expected ',', found 'int'\ncontiguous(3 int)\n             ^\n");
}

TEST(Group, IsKeptInTheSmallestFormat) {
  const Outcome outcome = run("group '0:90000:300' --json");
  ASSERT_EQ(outcome.code, 0);
  const json about = json::parse(outcome.text);
  EXPECT_EQ(about["size"], 300);
  EXPECT_EQ(about["format"], "stride");
  EXPECT_EQ(about["bytes"], 12);
  EXPECT_EQ(about["pointers"], 2400);
  EXPECT_EQ(about["members"][2], 600);
  int kept = 0;
  for (const json& format : about["formats"]) {
    kept += format["kept"].get<bool>() ? 1 : 0;
    EXPECT_EQ(format["bytes"].is_null(), !format["fits"].get<bool>()) << format;
    EXPECT_EQ(format["why_not"].get<std::string>().empty(), format["fits"].get<bool>()) << format;
  }
  EXPECT_EQ(kept, 1);
}

TEST(Group, MistakesArePointedAt) {
  EXPECT_EQ(complaint("group '0:10, x'"), "heddle: column 7: expected a rank, found 'x'\n0:10, x\n      ^\n");
  EXPECT_EQ(complaint("group '1, 2, 1'"), "heddle: a rank is listed twice\n");
}

TEST(Collective, IsChosenByItsVolumes) {
  const Outcome outcome = run("collective 'allgatherv: 32k, 47 x 8; 8 nodes' --json");
  ASSERT_EQ(outcome.code, 0);
  const json about = json::parse(outcome.text);
  EXPECT_EQ(about["ranks"], 48);
  EXPECT_EQ(about["nodes"], 8);
  EXPECT_NE(about["why"].get<std::string>().find("4096 times"), std::string::npos);
  int chosen = 0;
  for (const json& way : about["ways"]) {
    chosen += way["chosen"].get<bool>() ? 1 : 0;
    EXPECT_GT(way["ns"].get<double>(), 0);
    EXPECT_GT(way["walked_ns"].get<double>(), 0);
  }
  EXPECT_EQ(chosen, 1);
  for (const char* one :
       {"alltoallv: 26 x 512; 256 ranks, 16 nodes, stride 3", "exchange: 2 x 1M; 8 ranks", "allgatherv: 5 x 0; 3 ranks a core",
        "allgatherv: 1", "alltoallv: 15 x 8; 16 ranks, 8 ranks a core, mpich", "alltoallv: 1 x 8; 16 ranks, openmpi"})
    EXPECT_EQ(run("collective '" + std::string(one) + "'").code, 0) << one;
}

/// A profile of this machine with the given times of Open MPI's messages (tool/tune/fit_links.hpp).
class Tuned {
 public:
  explicit Tuned(const std::string& messages) : path_("/tmp/heddle-tool-test-" + std::to_string(getpid()) + ".json") {
    const Outcome outcome = run("tune --quick --json --output " + path_ + " --openmpi " + messages);
    EXPECT_EQ(outcome.code, 0);
    profile = json::parse(outcome.text)["profile"];
  }
  ~Tuned() { std::remove(path_.c_str()); }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;
  [[nodiscard]] json collective(const std::string& description) const {
    return json::parse(run("collective '" + description + "' --json", "HEDDLE_PROFILE=" + path_).text);
  }
  json profile;

 private:
  std::string path_;
};

TEST(Tune, MessagesBecomeTheModelsFigures) {
  const Tuned tuned("100 1150 70000 88000 245000 124000 16 2");
  const json& messages = tuned.profile["messages_of_openmpi"];
  EXPECT_EQ(messages["one_ns"], 100);
  EXPECT_EQ(messages["further_ns"], 70);
  EXPECT_FALSE(tuned.profile.contains("messages_of_mpich"));
  // For these calls the model gives the times that were measured.
  const json about = tuned.collective("alltoallv: 15 x 8; 16 ranks, 8 ranks a core, openmpi");
  EXPECT_NE(about["messages"]["source"], "built in");
  for (const json& way : about["ways"])
    if (way["name"] == "direct") {
      EXPECT_NEAR(way["ns"].get<double>(), 88000, 2000);
    } else if (way["radix"] == 2) {
      EXPECT_NEAR(way["ns"].get<double>(), 245000, 10000);
    }
  EXPECT_EQ(tuned.collective("alltoallv: 15 x 8; 16 ranks, mpich")["messages"]["source"], "built in");
  EXPECT_EQ(tuned.collective("alltoallv: 15 x 8; 16 ranks")["messages"]["of"], "any");
}

TEST(Tune, MessagesWithHolesAreToldByTheByte) {
  const Tuned tuned("100 1150 70000 88000 245000 124000 16 2 524388 262244 100 100 100 100 100 26314");
  const json& holes = tuned.profile["messages_of_openmpi"]["with_holes_ns_per_byte"];
  EXPECT_EQ(holes["4 B"], 2);
  EXPECT_EQ(holes["16 B"], 1);
  EXPECT_EQ(holes["64 B"], 0.001) << "noise has not made it a gift";
  EXPECT_EQ(holes["65536 B"], 0.1);
  EXPECT_NE(run("tune --quick --output /dev/null --openmpi 100 1150 70000 88000").code, 0);
}

TEST(Tune, MessagesBetweenNodesBecomeTheModelsFigures) {
  const std::string path = "/tmp/heddle-tool-nodes-" + std::to_string(getpid()) + ".json";
  const auto tuned = [&path](const std::string& words) {
    return json::parse(run("tune --quick --json --output " + path + " " + words).text)["profile"];
  };
  // The library takes 90 us and 1 ns a byte for 65,536 bytes. The fabric takes 40 us to begin, 3 us
  // a segment and 0.25 ns a byte. 31 more operations take 310 us.
  const std::string nodes = "155536 1138576 59384 80384 326144 60000 370000 32";
  const json first = tuned("--mpich 800 1600 70000 --mpich-nodes 'tcp;ofi_rxm' " + nodes);
  const json& of = first["between_nodes_by_mpich"];
  EXPECT_EQ(of["fabric_provider"], "tcp");
  EXPECT_EQ(of["message_ns"], 90'000);
  EXPECT_EQ(of["message_byte_ns"], 1);
  EXPECT_EQ(of["fabric_greeting_ns"], 40'000);
  EXPECT_EQ(of["fabric_segment_ns"], 3000);
  EXPECT_EQ(of["fabric_operation_ns"], 10'000);
  EXPECT_EQ(of["fabric_byte_ns"], 0.25);
  EXPECT_FALSE(first.contains("between_nodes_by_openmpi"));
  // --add changes nothing else. A new measurement of messages leaves these figures in place.
  json both = tuned("--add --openmpi-nodes shm " + nodes);
  EXPECT_EQ(both["between_nodes_by_openmpi"]["fabric_provider"], "shm");
  both.erase("between_nodes_by_openmpi");
  both["made"] = first["made"];
  EXPECT_EQ(both, first);
  const json anew = tuned("--openmpi 100 1150 70000");
  EXPECT_EQ(anew["between_nodes_by_mpich"], of);
  EXPECT_TRUE(anew.contains("between_nodes_by_openmpi") && anew.contains("messages_of_openmpi"));
  EXPECT_FALSE(anew.contains("messages_of_mpich"));
  std::remove(path.c_str());
}

TEST(Tune, ByMessagesOfThisMachineCollectivesChoose) {
  const std::string what = "alltoallv: 200 x 2048; 201 ranks, openmpi";  // longer than mailboxes take
  const auto chosen = [&](const char* messages) {
    const json about = Tuned(messages).collective(what);
    for (const json& way : about["ways"])
      if (way["chosen"]) return way["name"].get<std::string>();
    return std::string();
  };
  EXPECT_EQ(chosen("5000 5150 70000"), "direct") << "further messages cost next to nothing";
  EXPECT_EQ(chosen("500 30000 70000"), "bruck") << "further messages are what costs";
}

TEST(Tune, NonsenseIsRefused) {
  for (const char* words :
       {"--openmpi 1 2", "--mpich 1 2 3 4", "--openmpi -1 2 3", "--openmpi 1 2 3 4 5 6 1 2", "--mpich x y z",
        "--mpich-nodes tcp 1 2 3 4 5 6 7", "--mpich-nodes tcp 1 2 3 4 5 6 7 x", "--openmpi-nodes tcp 1 2 3 4 5 6 7 0",
        "--openmpi-nodes ';' 1 2 3 4 5 6 7 8", "--openmpi-nodes carrier_pigeons_of_the_alps 1 2 3 4 5 6 7 8"}) {
    const std::string line = complaint("tune --quick --output /tmp/heddle-never.json " + std::string(words));
    EXPECT_EQ(line.rfind("heddle: ", 0), 0u) << line;
  }
}

TEST(Collective, MistakesTakeOneLine) {
  for (const char* one :
       {"", "gather: 1", "allgatherv 1", "allgatherv: 3 x", "allgatherv: -1", "allgatherv: 99999999999999 x 1",
        "alltoallv: 5 x 3; 4 ranks", "alltoallv: 3 x 1", "allgatherv: 8; 2 nodes", "allgatherv: 8; 2 ranks", "allgatherv: 8 8",
        "allgatherv: 99999999999999999999"}) {
    const std::string line = complaint("collective '" + std::string(one) + "'");
    EXPECT_EQ(line.rfind("heddle: column ", 0), 0u) << one << ": " << line;
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
  }
}

TEST(Explain, NamesTheKernelsAndWhatDecided) {
  const std::string narrow = "HEDDLE_ISA=avx2 HEDDLE_PROFILE=builtin";
  const auto kernels = [](const std::string& description, const std::string& environment) {
    const Outcome outcome = run("explain '" + description + "' --json 2>/dev/null", environment);
    EXPECT_EQ(outcome.code, 0) << description;
    return json::parse(outcome.text)["kernels"];
  };
  const json rows = kernels("vector(1000, 3, 24, double)", narrow)["parts"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["pack"]["kernel"], "single");
  EXPECT_NE(rows[0]["pack"]["why"].get<std::string>().find("1000 blocks of 24 B every 192 B over 192000 B, more than 81920 B"),
            std::string::npos)
      << rows;
  EXPECT_EQ(kernels("vector(100, 1, 512, contiguous(4, double))", narrow)["parts"][0]["unpack"]["kernel"], "few-stores");
  EXPECT_EQ(kernels("contiguous(64, resized(vector(64, 1, 64, double), 0, 8))", narrow)["parts"][0]["pack"]["kernel"],
            "squares");
  EXPECT_EQ(kernels("indexed([1, 2, 7], [5, 22, 43], double)", narrow)["parts"][0]["kind"], "list of units");
  EXPECT_EQ(kernels("contiguous(9, struct(char, 3 double, int @ 64))", "HEDDLE_ISA=portable")["parts"][0]["pack"]["kernel"],
            "record-fields");
  EXPECT_TRUE(kernels("contiguous(9, double)", narrow)["parts"].empty());
  std::string many = "struct(";
  for (int i = 0; i < 20; ++i)
    many += (i ? ", vector(" : "vector(") + std::to_string(i + 2) + ", 1, 2, int) @" + std::to_string(1000 * i);
  const json parts = kernels(many + ")", narrow);
  EXPECT_EQ(parts["parts"].size(), 8u);
  EXPECT_TRUE(parts["more"]);
}

TEST(Explain, TheProfileDecidesAboutKernels) {
  const std::string file = testing::TempDir() + "/heddle-thresholds." + std::to_string(getpid()) + ".json";
  ASSERT_EQ(run("tune --quick --output " + file).code, 0);
  json profile = json::parse(std::ifstream(file));
  const auto packed = [&](long from) {
    profile["packing_kernels"]["inner_cache_bytes"] = from;
    std::ofstream(file) << profile;
    const Outcome outcome = run("explain 'vector(1000, 3, 24, double)' --json", "HEDDLE_ISA=portable HEDDLE_PROFILE=" + file);
    return json::parse(outcome.text)["kernels"]["parts"][0]["pack"]["kernel"].get<std::string>();
  };
  EXPECT_EQ(packed(100000), "single");
  EXPECT_EQ(packed(200000), "unrolled");
  std::remove(file.c_str());
}

TEST(Algorithms, AreTablesOfTheRooms) {
  const Outcome outcome = run("algorithms --json");
  ASSERT_EQ(outcome.code, 0);
  const json tables = json::parse(outcome.text);
  ASSERT_FALSE(tables.empty());
  for (const json& table : tables) {
    EXPECT_FALSE(table["title"].get<std::string>().empty());
    for (const json& row : table["rows"]) {
      for (const char* field : {"name", "description", "when"}) EXPECT_FALSE(row[field].get<std::string>().empty()) << row;
    }
  }
}

TEST(CommandLine, MistakesTakeOneLine) {
  const std::set<std::string> lines = {
      "",
      "--nonsense",
      "teapot",
      "explain",
      "explain int --count -1",
      "explain int --count many",
      "explain int --count 99999999999999999999",
      "explain int --nonsense",
      "explain int --segments 99999999999",
      "explain 'contiguous(1000000, int)' --count 9223372036854775807",
      "settings extra",
      "seek --sizes 0",
      "seek --segment 1",
  };
  for (const std::string& line : lines) {
    const std::string said = complaint(line);
    EXPECT_EQ(said.find('\n'), said.size() - 1) << line << ": " << said;
    EXPECT_TRUE(said.starts_with("heddle: ")) << said;
    EXPECT_LT(said.size(), 200u) << said;
  }
}

TEST(CommandLine, HelpIsNoMistake) {
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("explain --help").code, 0);
}

TEST(Settings, TheTableIsJson) {
  const Outcome outcome = run("settings --json");
  ASSERT_EQ(outcome.code, 0);
  std::set<std::string> names;
  for (const json& row : json::parse(outcome.text)) {
    names.insert(row["name"]);
    EXPECT_FALSE(row["meaning"].get<std::string>().empty());
    EXPECT_TRUE(row["read_by"] == "library" || row["read_by"] == "command line");
  }
  for (const char* name : {"HEDDLE", "HEDDLE_ISA", "HEDDLE_VERBOSE", "HEDDLE_POOL_LIMIT"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Settings, WhereAValueComesFromIsSaid) {
  const Outcome outcome = run("settings --json", "HEDDLE_CONFIG=none HEDDLE_VERBOSE=1");
  for (const json& row : json::parse(outcome.text)) {
    const bool set = row["name"] == "HEDDLE_CONFIG" || row["name"] == "HEDDLE_VERBOSE";
    EXPECT_EQ(row["from"], set ? json("environment") : json()) << row["name"];
    EXPECT_EQ(row["value"].is_null(), !set) << row["name"];
  }
}

TEST(Build, SaysWithWhatItWasBuilt) {
  const Outcome outcome = run("build --json");
  ASSERT_EQ(outcome.code, 0);
  const json build = json::parse(outcome.text);
  EXPECT_NE(build["compiler"].get<std::string>().find("."), std::string::npos);
  EXPECT_NE(build["commit"], "");
  EXPECT_TRUE(build["fabric"].is_boolean());
}

TEST(Settings, NonsenseInTheEnvironmentIsReportedAndHarmless) {
  const Outcome outcome = run("settings --json 2>&1 >/dev/null", "HEDDLE_ISA=sse9 HEDDLE_POOL_LIMT=1");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.text.find("HEDDLE_ISA=sse9 is no instruction set"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("Did you mean HEDDLE_POOL_LIMIT?"), std::string::npos) << outcome.text;
}

TEST(Settings, TheInstructionSetCanBeChosen) {
  const Outcome outcome = run("explain 'vector(9, 1, 2, int)'", "HEDDLE_ISA=portable");
  EXPECT_NE(outcome.text.find("kernels: portable"), std::string::npos) << outcome.text;
}

TEST(Seek, TwoContextsNeedNoSearch) {
  const Outcome outcome = run("seek --sizes 64 256 --samples 3 --json");
  ASSERT_EQ(outcome.code, 0);
  std::map<std::string, double> share;
  for (const json& row : json::parse(outcome.text)) {
    EXPECT_EQ(row["bench"], "seek");
    if (row["metric"] == "share" && row["case"] == "transpose 256") share[row["variant"]] = row["value"];
  }
  EXPECT_LT(share.at("dual-context"), share.at("single-context"));
}

}  // namespace
