// Counters add up, over calls, threads and ranks.
#include "report/report.hpp"
#include "report/reporting.hpp"
#include "report/run.hpp"
#include "report/trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

namespace heddle::report::report_test {
namespace {

using nlohmann::json;
using namespace layout;

const Layout column = vector(128, 8, 4096, basic(4));

TEST(Report, CallsOfOneKindAreOneRow) {
  Report report;
  const Layout box =
      subarray(std::vector<Count>{128, 4096}, std::vector<Count>{128, 8}, std::vector<Count>{0, 0}, Order::c, basic(4));
  const Layout same = resized(box, 0, column.extent());
  report.add("send", column, "bc-spup", 4096, {.search = 1000, .pack = 2000, .wait = 0, .copy = 0});
  report.add("send", same, "bc-spup", 4096, {.search = 0, .pack = 500, .wait = 250, .copy = 0});
  report.add("receive", column, "bc-spup", 4096, {});
  report.add("send", column, "direct", 4096, {});
  const json rows = json::parse(report.to_json())["rows"];
  ASSERT_EQ(rows.size(), 3u);
  const auto of = [&rows](const char* call, const char* way) {
    for (const json& row : rows)
      if (row["call"] == call && row["way"] == way) return row;
    return json();
  };
  const json row = of("send", "bc-spup");
  EXPECT_EQ(row["datatype"], "loop 128 × 16384 B { block 32 }");
  EXPECT_EQ(row["extent"], column.extent());
  EXPECT_EQ(row["lower_bound"], 0);
  EXPECT_EQ(row["calls"], 2);
  EXPECT_EQ(row["bytes"], 8192);
  EXPECT_EQ(row["search_us"], 1.0);
  EXPECT_EQ(row["pack_us"], 2.5);
  EXPECT_EQ(row["wait_us"], 0.25);
  EXPECT_EQ(row["blocks"], 256);
  EXPECT_EQ(of("receive", "bc-spup")["calls"], 1);
}

TEST(Report, ARowSaysWhyOfItsFirstCallAndOfItsFirstRank) {
  Report one, two;
  int asked = 0;
  const auto why = [&asked](const char* text) { return [&asked, text] { return ++asked, std::string(text); }; };
  one.add("send", column, "bc-spup", 100, {}, {}, why("128 blocks cost 3 us"));
  one.add("send", column, "bc-spup", 100, {}, {}, why("128 blocks cost 4 us"));
  two.add("send", column, "bc-spup", 100, {}, {}, why("128 blocks cost 5 us"));
  two.add("send", column, "direct", 100, {});
  EXPECT_EQ(asked, 2);
  const std::vector<std::string> texts = {one.to_json(), two.to_json()};
  const json rows = json::parse(merge(texts))["rows"];
  ASSERT_EQ(rows.size(), 2u) << "what it says does not tell rows apart";
  EXPECT_EQ(rows[0]["why"], "128 blocks cost 3 us");
  EXPECT_EQ(rows[0]["calls"], 3);
  EXPECT_FALSE(rows[1].contains("why"));
}

TEST(Report, RanksAreAddedUpAndNonsenseIsLeftOut) {
  Report one, two;
  one.add("send", column, "bc-spup", 100, {.search = 0, .pack = 1000, .wait = 0, .copy = 0});
  two.add("send", column, "bc-spup", 200, {.search = 0, .pack = 3000, .wait = 0, .copy = 0});
  two.add("receive", column, "packed", 300, {});
  const std::vector<std::string> texts = {
      one.to_json(), two.to_json(), "", "{", "[]", R"({"rows": 3})", R"({"rows": [3, {"call": 1}]})"};
  const json all = json::parse(merge(texts));
  EXPECT_EQ(all["heddle_report"], 3);
  EXPECT_EQ(all["ranks"], 3);
  ASSERT_EQ(all["rows"].size(), 2u);
  const json& sent = all["rows"][1];
  EXPECT_EQ(sent["ranks"], 2);
  EXPECT_EQ(sent["calls"], 2);
  EXPECT_EQ(sent["bytes"], 300);
  EXPECT_EQ(sent["pack_us"], 4.0);
  EXPECT_EQ(sent["pack_us_min"], 1.0);
  EXPECT_EQ(sent["pack_us_max"], 3.0);
  EXPECT_EQ(all["rows"][0]["pack_us_max"], 0.0) << "of the ranks that have such a row";
  const std::vector<std::string> again = {merge(texts), one.to_json()};
  EXPECT_EQ(json::parse(merge(again))["rows"].size(), 2u);
}

TEST(Report, AnyNumberOfDatatypesFitsIntoSomeRows) {
  Report report;
  for (Count i = 0; i < 3000; ++i) report.add("send", vector(2, 1, 3 + i, basic(4)), "packed", 8, {});
  const json rows = json::parse(report.to_json())["rows"];
  EXPECT_EQ(rows.size(), Report::most_rows + 1);
  std::int64_t calls = 0;
  for (const json& row : rows) calls += row["calls"].get<std::int64_t>();
  EXPECT_EQ(calls, 3000);
}

TEST(Report, CommunicatorsOfOneKindAreCounted) {
  Report one, two;
  for (int i = 0; i < 3; ++i) one.add_communicator("MPI_Cart_sub", "stride", 300, 12, 56);
  one.add_communicator("MPI_Comm_dup", "stride", 300, 0, 0);
  two.add_communicator("MPI_Cart_sub", "stride", 300, 12, 56);
  two.add_communicator("MPI_Cart_sub", "stride", 299, 12, 56);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "communicators": [3, {"call": 1}]})",
                                          R"({"rows": [], "communicators": 3})"};
  const json found = json::parse(merge(texts))["communicators"];
  ASSERT_EQ(found.size(), 3u);
  json wanted = {{"call", "MPI_Cart_sub"}, {"kept", "stride"},       {"size", 300}, {"members_bytes", 12}, {"whole_bytes", 56},
                 {"list_bytes", 1200},     {"pointers_bytes", 2400}, {"count", 4}};
  EXPECT_EQ(found[1], wanted);
  EXPECT_EQ(found[2]["count"], 1);
  EXPECT_EQ(found[2]["members_bytes"], 0);
}

constexpr std::uint32_t first = 1, second = 2, third = 3;

CallSite& site(Report& report, const char* procedure, std::uint64_t offset = 16, const char* datatype = "face") {
  return *report.site({procedure, {"/app", offset, ""}, datatype, "grid"});
}

TEST(Report, ProceduresAreAddedUpAndTheLongestRankCounts) {
  Report one, two;
  site(one, "MPI_Send").ends(first, 1500, 8, Passed::off);
  site(one, "MPI_Send", 32).ends(first, 3000, 8, Passed::off);
  one.end(7000, 5000, false);
  site(two, "MPI_Send").ends(first, 4500, 8, Passed::off);
  site(two, "MPI_Recv").ends(first, 1000, 8, Passed::off);
  two.end(9000, 6000, false);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "procedures": [3, {"name": 1}]})",
                                          R"({"rows": [], "procedures": 3, "elapsed_us": "x", "heddle": 3})"};
  const json all = json::parse(merge(texts));
  EXPECT_EQ(all["elapsed_us"], 9.0);
  EXPECT_EQ(all["heddle"], "off");
  ASSERT_EQ(all["procedures"].size(), 2u);
  const json wanted = {{"name", "MPI_Send"}, {"ranks", 2},    {"calls", 3},
                       {"us", 9.0},          {"us_min", 4.5}, {"us_max", 4.5},
                       {"bytes", 24},        {"carried", 0},  {"passed", {{"off", 3}}}};
  EXPECT_EQ(all["procedures"][1], wanted);
  Report on;
  const std::vector<std::string> mixed = {on.to_json(), two.to_json()};
  EXPECT_EQ(json::parse(merge(mixed))["heddle"], "on");
}

TEST(Report, PlacesThatCallAreToldApartByWhatTheyCallWith) {
  Report one, two;
  EXPECT_EQ(&site(one, "MPI_Send"), &site(one, "MPI_Send"));
  site(one, "MPI_Send").ends(first, 1000, 1000, Passed::no_holes);
  site(one, "MPI_Send", 16, "edge").ends(first, 2000, 0, Passed::no_holes);
  site(two, "MPI_Send").ends(first, 5000, 1024, Passed::no_holes);
  site(two, "MPI_Send", 17);  // never called
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "sites": [3, {"calls": 1}]})"};
  const json sites = json::parse(merge(texts))["sites"];
  ASSERT_EQ(sites.size(), 2u);
  const json& face = sites[1];
  EXPECT_EQ(face["module"], "/app");
  EXPECT_EQ(face["offset"], "0x10");
  EXPECT_EQ(face["datatype_name"], "face");
  EXPECT_EQ(face["communicator"], "grid");
  EXPECT_EQ(face["ranks"], 2);
  EXPECT_EQ(face["us_min"], 1.0);
  EXPECT_EQ(face["us_max"], 5.0);
  const json sizes = {{"512", 1}, {"1024", 1}};
  EXPECT_EQ(face["sizes"], sizes);
  EXPECT_EQ(sites[0]["sizes"], json({{"0", 1}}));
}

TEST(Report, ACallIsCarriedOnceOrHandedOn) {
  Report report;
  CallSite& send = site(report, "MPI_Isend");
  caller_of_thread = {.site = &send, .number = first};
  carried(caller_of_thread);
  {
    const InTheNameOf same(caller_of_thread);
    carried(caller_of_thread);  // two messages of one call
  }
  carried(caller_of_thread);
  EXPECT_TRUE(send.ends(first, 1, -1, Passed::small, caller_of_thread.carried).carried);
  caller_of_thread = {};
  send.ends(second, 1, -1, Passed::small);
  send.ends(third, 1, -1, Passed::small);
  EXPECT_EQ(send.carried(), 1);
  EXPECT_EQ(send.passed(static_cast<std::size_t>(Passed::small)), 2);
  carried({.site = &send, .number = second});  // known only when its request is completed
  carried({.site = &send, .number = second});
  EXPECT_EQ(send.carried(), 2);
  EXPECT_EQ(send.passed(static_cast<std::size_t>(Passed::small)), 1);
}

TEST(Report, CallsUnderWayAtTheSameTimeAreEachCarriedOnce) {
  Report report;
  CallSite& both = site(report, "MPI_Sendrecv");
  const std::uint64_t of_other_thread = std::uint64_t{1} << 32U | first;
  both.carried(first, false);
  both.carried(of_other_thread, false);
  EXPECT_TRUE(both.ends(first, 1, -1, Passed::small, true).carried);
  EXPECT_TRUE(both.ends(of_other_thread, 1, -1, Passed::small).carried);
  EXPECT_EQ(both.carried(), 2);
  EXPECT_EQ(both.passed(static_cast<std::size_t>(Passed::small)), 0);
}

TEST(Report, RowsSayWhatHasCalled) {
  Report report;
  CallSite& send = site(report, "MPI_Send");
  report.add("send", column, "packed", 8, {}, {.site = &send, .number = first});
  report.add("send", column, "packed", 8, {});
  report.add_algorithm({.site = &send, .number = first}, "ring");
  const json found = json::parse(report.to_json());
  ASSERT_EQ(found["rows"].size(), 2u);
  EXPECT_FALSE(found["rows"][0].contains("procedure"));
  EXPECT_EQ(found["rows"][1]["procedure"], "MPI_Send");
  EXPECT_EQ(found["algorithms"][0]["algorithm"], "ring");
}

TEST(Report, TheLongestSearchIsOfACallAndTheLongestRankBeside) {
  Report report;
  for (int i = 0; i < 2; ++i) report.add("send", column, "packed", 4096, {.search = 1000, .pack = 0, .wait = 0, .copy = 0});
  const std::vector<std::string> texts = {report.to_json()};
  const json row = json::parse(merge(texts))["rows"][0];
  EXPECT_EQ(row["search_us_max"], 1.0);
  EXPECT_EQ(row["search_us_rank_max"], 2.0);
  EXPECT_EQ(row["search_us_min"], 2.0);
}

TEST(Report, ElementsWithoutHolesAreOnePiece) {
  Report report;
  report.add("send", basic(8), "direct", 8 << 10, {});
  report.add("receive", vector(4, 1, 2, basic(8)), "packed", 3 * 32, {});
  report.add("send", resized(basic(8), 0, 64), "packed", 8 << 10, {});  // the same elements, with gaps
  const json rows = json::parse(report.to_json())["rows"];
  EXPECT_EQ(rows[1]["blocks"], 1);
  EXPECT_EQ(rows[2]["blocks"], 1 << 10);
  EXPECT_EQ(rows[0]["blocks"], 3 * 4);
}

TEST(Report, AnAlgorithmHasWhatEachRankHasMoved) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 3; ++rank) {
    Report report;
    report.of_rank(rank, 3);
    const Caller caller{.site = &site(report, "MPI_Allgatherv"), .number = first};
    Chosen* const chosen = report.add_algorithm(caller, "ring");
    EXPECT_EQ(report.add_algorithm(caller, "ring"), chosen);
    chosen->bytes += rank == 1 ? 1000 : 10 * rank;
    texts.push_back(report.to_json());
  }
  const json found = json::parse(merge(texts))["algorithms"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["calls"], 6);
  EXPECT_EQ(found[0]["bytes"], 1020);
  EXPECT_EQ(found[0]["bytes_min"], 0);
  EXPECT_EQ(found[0]["bytes_median"], 20);
  EXPECT_EQ(found[0]["bytes_max"], 1000);
  EXPECT_FALSE(found[0].contains("bytes_by_rank"));
}

TEST(Report, BytesToEachRankAreCountedIfThereAreFew) {
  Report report;
  report.add_sent(1, 5);  // the number of ranks is not known yet
  report.of_rank(2, 4);
  report.add_sent(1, 5);
  report.add_sent(1, 6);
  report.add_sent(-1, 7);
  report.add_sent(4, 8);
  EXPECT_EQ(json::parse(report.to_json())["by_rank"][0]["to"], json({{"1", 11}}));
  Report many;
  many.of_rank(0, Report::most_peers + 1);
  EXPECT_FALSE(many.counts_peers());
  EXPECT_FALSE(json::parse(many.to_json())["by_rank"][0].contains("to"));
}

TEST(Report, AnyNumberOfPlacesFitsIntoSomeRows) {
  Report report;
  for (std::uint64_t i = 0; i < 3000; ++i) site(report, "MPI_Send", i).ends(first, 1, 1, Passed::off);
  EXPECT_EQ(json::parse(report.to_json())["sites"].size(), Report::most_rows + 1);
  EXPECT_EQ(json::parse(report.to_json())["procedures"][0]["calls"], 3000);
}

TEST(Place, ModuleAndOffsetOfAFunction) {
  const Place place = place_of(reinterpret_cast<const void*>(&std::fopen));
  EXPECT_NE(place.module.find("libc"), std::string::npos);
  EXPECT_GT(place.offset, 0u);
  EXPECT_EQ(place_of(nullptr).module, "");
}

TEST(Run, SaysWhatItWas) {
  setenv("HEDDLE_ISA", "portable", 1);
  const json run = json::parse(about_run({.mpi = "MPICH 5", .family = "mpich", .processor = "Loom 9000", .cores = 4}));
  EXPECT_EQ(run["mpi"], "MPICH 5");
  EXPECT_EQ(run["processor"], "Loom 9000");
  EXPECT_EQ(run["cores"], 4);
  EXPECT_EQ(run["settings"]["HEDDLE_ISA"], "portable");
  EXPECT_FALSE(run["command"].empty());
  const std::vector<std::string> none;
  EXPECT_EQ(json::parse(merge(none, about_run({.mpi = "x"})))["run"]["mpi"], "x");
  EXPECT_FALSE(json::parse(merge(none)).contains("run"));
}

TEST(Report, BlocksThatGoByMailboxesAreCountedApart) {
  Report one, two;
  EXPECT_EQ(json::parse(one.to_json())["mailboxes"], json::array());
  for (int i = 0; i < 3; ++i) one.add_mailed(Mailed::blocking, 100);
  one.add_mailed(Mailed::retracted_by_sender, 7);
  two.add_mailed(Mailed::blocking, 50);
  two.add_mailed(Mailed::persistent, 8);
  two.add_mailed(Mailed::retracted_by_reader, 9);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "mailboxes": [3, {"name": 1}]})",
                                          R"({"rows": [], "mailboxes": 3})"};
  const json wanted = {{{"name", "blocking"}, {"ranks", 2}, {"blocks", 4}, {"bytes", 350}},
                       {{"name", "persistent"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 8}},
                       {{"name", "retracted by reader"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 9}},
                       {{"name", "retracted by sender"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 7}}};
  EXPECT_EQ(json::parse(merge(texts))["mailboxes"], wanted);
}

TEST(Report, AnotherExtentIsAnotherDatatype) {
  Report one, two;
  for (Report* const report : {&one, &two})
    for (const Bytes extent : {64, 128}) report->add("send", resized(basic(8), -8, extent), "packed", 8, {});
  const std::vector<std::string> texts = {one.to_json(), two.to_json()};
  const json rows = json::parse(merge(texts))["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["extent"].get<int>() + rows[1]["extent"].get<int>(), 64 + 128) << "ranks do not add them up";
  for (const json& row : rows) {
    EXPECT_EQ(row["calls"], 2);
    EXPECT_EQ(row["lower_bound"], -8);
    EXPECT_EQ(row["datatype"], "block 8");
  }
}

TEST(Report, LongListsThatBeginAlikeAreTwoDatatypes) {
  std::vector<Count> places;
  for (Count i = 0; i < 5000; ++i) places.push_back(2 * i * i);
  const Layout one = indexed_block(1, places, basic(8));
  ++places[4000];
  const Layout other = indexed_block(1, places, basic(8));
  Report report;
  for (const Layout& layout : {one, other, one}) report.add("send", layout, "packed", layout.size(), {});
  const json rows = json::parse(report.to_json())["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["datatype"], rows[1]["datatype"]);
  EXPECT_NE(rows[0]["hash"], rows[1]["hash"]);
  EXPECT_EQ(rows[0]["calls"].get<int>() + rows[1]["calls"].get<int>(), 3);
  EXPECT_NE(rows[0]["datatype"].get<std::string>().find(", … 5000 in all] { block 8 }"), std::string::npos);
}

TEST(Described, EveryNumberCounts) {
  const std::vector<Count> lengths = {1, 2, 3}, places = {0, 5, 9};
  const std::vector<Layout> parts = {basic(4), vector(3, 1, 2, basic(8)), basic(2)};
  const std::vector<Layout> all = {basic(8),
                                   resized(basic(8), 0, 16),
                                   resized(basic(8), -8, 16),
                                   vector(4, 1, 2, basic(8)),
                                   vector(4, 1, 3, basic(8)),
                                   vector(5, 1, 2, basic(8)),
                                   resized(vector(4, 2, 4, basic(4)), 0, 50),
                                   contiguous(2, vector(4, 1, 2, basic(8))),
                                   indexed(lengths, places, basic(8)),
                                   indexed(places, lengths, basic(8)),
                                   indexed_block(2, places, basic(8)),
                                   indexed_block(3, places, basic(8)),
                                   structure(lengths, std::vector<Bytes>{0, 100, 300}, parts),
                                   structure(lengths, std::vector<Bytes>{0, 100, 301}, parts),
                                   structure(lengths, std::vector<Bytes>{8, 108, 308}, parts)};
  std::set<std::string> hashes;
  for (const Layout& each : all) {
    hashes.insert(described(each).hash);
    EXPECT_EQ(described(each).hash, described(Layout(each)).hash);
  }
  EXPECT_EQ(hashes.size(), all.size());
}

TEST(Report, LongDescriptionsAreCut) {
  std::vector<Count> lengths, places;
  for (Count i = 0; i < 500; ++i) {
    lengths.push_back(1 + i % 7);
    places.push_back(i * i + 10 * i);
  }
  Report report;
  report.add("send", structure(lengths, places, std::vector<Layout>(500, vector(2, 1, 5, basic(1)))), "packed", 1, {});
  const json row = json::parse(report.to_json())["rows"][0];
  const std::string text = row["datatype"];
  EXPECT_TRUE(text.ends_with("…") && text.size() <= Described::longest + 3 && text.size() > Described::longest - 3)
      << text.size();
  EXPECT_FALSE(row["hash"].get<std::string>().empty());
}

TEST(Report, CountsFromSeveralThreads) {
  Report report;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&report] {
      for (int i = 0; i < 1000; ++i) report.add("send", column, "bc-spup", 1, {});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(json::parse(report.to_json())["rows"][0]["calls"], 4000);
}

TEST(Report, AFileIsWrittenWholeOrNotAtAll) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("heddle-report-" + std::to_string(getpid()));
  EXPECT_EQ(write(path, "text"), "");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "text");
  std::filesystem::remove(path);
  EXPECT_EQ(write("/no/such/folder/r.json", "text"), "cannot write /no/such/folder/r.json (No such file or directory)");
}

TEST(Trace, CallsAreSlicesOfTheirRank) {
  Report report;
  const CallSite& send = site(report, "MPI_Send");
  Trace trace(2);
  for (int i = 0; i < 5; ++i) trace.add({&send, 1000.0 * i, 1000.0 * i + 500, 64, 1, 0});
  EXPECT_EQ(trace.missing(), 3u);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("heddle-trace-" + std::to_string(getpid()));
  TraceFile file(path);
  file.add(trace.to_json(0, 0));
  file.add("");
  file.add(Trace(1).to_json(1, 0));
  EXPECT_EQ(file.end(), "");
  const json events = json::parse(std::ifstream(path))["traceEvents"];
  std::filesystem::remove(path);
  ASSERT_EQ(events.size(), 8u);  // two names for each rank, a module, two calls, a note of missing calls
  EXPECT_EQ(events[2]["name"], "heddle_module");
  EXPECT_EQ(events[2]["args"]["file"], "app");
  EXPECT_EQ(events[2]["args"]["path"], "/app");
  const json& slice = events[4];
  EXPECT_EQ(slice["ph"], "X");
  EXPECT_EQ(slice["name"], "MPI_Send");
  EXPECT_EQ(slice["ts"], 1.0);
  EXPECT_EQ(slice["dur"], 0.5);
  EXPECT_EQ(slice["args"]["from"], "app+0x10");
  EXPECT_EQ(events[5]["name"], "3 further calls are not shown");
  EXPECT_EQ(TraceFile("/no/such/folder/t.json").end(), "cannot write /no/such/folder/t.json (No such file or directory)");
}

TEST(Stopwatch, RunsOnlyForWhoWantsToKnow) {
  Times times;
  { const Stopwatch watch(&times, &Times::pack); }
  EXPECT_GT(times.pack, 0);
  EXPECT_EQ(times.wait, 0);
  { const Stopwatch watch(nullptr, &Times::pack); }
}

}  // namespace
}  // namespace heddle::report::report_test
