// A profile survives being written and read; anything else is refused with one sentence.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "select/profile_file.hpp"

namespace heddle::select::profile_test {
namespace {

const Machine here{"Loom 9000", 4};

std::string good() { return write(builtin(), here, "2026-11-21"); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// parse() complains with one sentence that contains `words`, and returns the built-in profile.
void refused(const std::string& text, const std::string& words) {
  const Loaded loaded = parse(text, "p.json", here);
  EXPECT_NE(loaded.complaint.find(words), std::string::npos) << loaded.complaint;
  EXPECT_EQ(loaded.complaint.rfind("the profile p.json is not used: ", 0), 0u) << loaded.complaint;
  EXPECT_EQ(loaded.complaint.find('\n'), std::string::npos);
  EXPECT_LT(loaded.complaint.size(), 400u);
  EXPECT_EQ(loaded.source, "built in");
  EXPECT_EQ(loaded.profile.call, builtin().call);
}

TEST(Profile, TheBuiltInOneIsSane) { EXPECT_EQ(absurd(builtin()), ""); }

TEST(Profile, SurvivesItsFile) {
  Profile profile = builtin();
  profile.remote_entry = 131.5;
  profile.pack.ns[3] = 0.0421;
  const Loaded loaded = parse(write(profile, here, "today"), "p.json", here);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.source, "p.json");
  EXPECT_EQ(loaded.profile.remote_entry, 131.5);
  EXPECT_EQ(loaded.profile.pack.ns[3], 0.0421);
  EXPECT_EQ(loaded.profile.handshake, builtin().handshake);
}

TEST(Profile, APersonCanReadIt) {
  for (const char* part : {"\"comment\"", "\"remote_entry_ns\": ", "\"64 B\": ", "\"Loom 9000\"", "\"cores\": 4"})
    EXPECT_NE(good().find(part), std::string::npos) << part;
}

TEST(Profile, RefusesWhatIsDamagedForeignOrAbsurd) {
  refused("", "no JSON");
  refused(good().substr(0, 300), "no JSON");
  refused("[1, 2]", "no profile of Heddle");
  refused("{}", "no profile of Heddle");
  refused(replaced(good(), "\"heddle_profile\": 1", "\"heddle_profile\": 2"), "version 2");
  refused(replaced(good(), "\"heddle_profile\": 1", "\"heddle_profile\": \"x\""), "version");
  refused(replaced(good(), "Loom 9000", "Loom 9001"), "another machine (Loom 9001, 4 cores; this is Loom 9000, 4 cores)");
  refused(replaced(good(), "\"cores\": 4", "\"cores\": 8"), "another machine");
  refused(replaced(good(), "\"machine\"", "\"Machine\""), "another machine");
  refused(replaced(good(), "call_ns", "caII_ns"), "process_vm_readv has no number call_ns");
  refused(replaced(good(), "\"64 B\"", "\"65 B\""), "has no number 64 B");
  refused(replaced(good(), "\"mapped_memory\"", "\"mapped\""), "no mapped_memory");
  refused(replaced(good(), "\"remote_entry_ns\": ", "\"remote_entry_ns\": -"), "a remote entry is -");
  refused(replaced(good(), "\"remote_entry_ns\": ", "\"remote_entry_ns\": 1e300, \"was\": "), "a remote entry is 1e+300");
  refused(replaced(good(), "\"call_ns\": ", "\"call_ns\": null, \"was\": "), "no number call_ns");
  refused(std::string(100000, ' '), "more than");
  refused(std::string(60000, '['), "no JSON");
}

/// A profile with measured messages of MPICH.
std::string with_messages() {
  Profile profile = builtin();
  profile.mpich.node = {.latency = 812, .message = 77, .byte = 0.05};
  profile.mpich.turn = 4100;
  profile.mpich.shared = 900;
  profile.mpich.regroup = 2200;
  profile.mpich_holes = {{3.5, 1.5, 0.5, 0.25, 0.2, 0.2, 0.1, 0.1}};
  return write(profile, here, "today");
}

TEST(Profile, MessagesOfAHostAreThereIfTheyWereMeasured) {
  EXPECT_EQ(good().find("messages_of"), std::string::npos);
  const Loaded loaded = parse(with_messages(), "p.json", here);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.profile.mpich.node.message, 77);
  EXPECT_EQ(loaded.profile.mpich.turn, 4100);
  EXPECT_EQ(loaded.profile.mpich.shared, 900);
  EXPECT_EQ(loaded.profile.mpich.regroup, 2200);
  EXPECT_EQ(loaded.profile.mpich_holes.at(16), 1.5);
  EXPECT_EQ(loaded.profile.openmpi_holes.at(16), 0);
  const std::string text = with_messages();
  const std::size_t holes = text.rfind(",", text.find("with_holes_ns_per_byte")), end = text.find('}', holes);
  const Loaded older = parse(text.substr(0, holes) + text.substr(end + 1), "p.json", here);
  EXPECT_EQ(older.complaint, "");
  EXPECT_EQ(older.profile.mpich, loaded.profile.mpich);
  EXPECT_EQ(older.profile.mpich_holes.at(16), 0);
  EXPECT_EQ(loaded.profile.mpich.network, builtin_links.network);
  EXPECT_EQ(loaded.profile.openmpi, openmpi_links) << "one that was written before messages were measured stays good";
  EXPECT_EQ(write(loaded.profile, here, "today"), with_messages());
}

TEST(Profile, ThresholdsOfKernelsSurviveToo) {
  Profile profile = builtin();
  profile.kernels.memory_from = 1 << 20;
  const std::string text = write(profile, here, "today");
  const Loaded loaded = parse(text, "p.json", here);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.profile.kernels, profile.kernels);
  // Older files lack a threshold, or all thresholds.
  const std::size_t group = text.find(",\n  \"packing_kernels\""), end = text.find('}', group);
  EXPECT_EQ(parse(text.substr(0, group) + text.substr(end + 1), "p.json", here).profile.kernels, builtin().kernels);
  EXPECT_EQ(parse(text.substr(0, group) + text.substr(end + 1), "p.json", here).complaint, "");
  const Loaded older = parse(replaced(text, "    \"many_lines\": 65536,\n", ""), "p.json", here);
  EXPECT_EQ(older.complaint, "");
  EXPECT_EQ(older.profile.kernels, profile.kernels);
}

TEST(Profile, ThresholdsThatMakeNoSenseAreRefused) {
  const std::string line = "\"memory_from_bytes\": ";
  refused(replaced(good(), line, line + "\"4M\", \"was\": "), "packing_kernels has no whole number memory_from_bytes");
  refused(replaced(good(), line, line + "1.5, \"was\": "), "packing_kernels has no whole number memory_from_bytes");
  refused(replaced(good(), line, line + "-"), "memory_from_bytes is -4194304; between 16384 and");
  refused(replaced(good(), line, line + "18446744073709551615, \"was\": "), "packing_kernels has no threshold called was");
  refused(replaced(good(), "4194304", "18446744073709551615"), "memory_from_bytes is -1;");
  refused(replaced(good(), "memory_from_bytes", "memory_fron_bytes"),
          "packing_kernels has no threshold called memory_fron_bytes");
  refused(replaced(good(), "\"packing_kernels\": {", "\"packing_kernels\": 3, \"was\": {"), "packing_kernels is no group");
}

TEST(Profile, WhatANetworkTakesIsWrittenByHand) {
  const std::string written =
      replaced(good(), "\"process_vm_readv\"",
               R"("messages_between_nodes": {"one_ns": 30000, "further_ns": 9000, "byte_ns": 0.9}, "process_vm_readv")");
  const Loaded loaded = parse(written, "p.json", here);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.profile.mpich.network, (Link{30000, 9000, 0.9}));
  EXPECT_EQ(loaded.profile.openmpi.network, (Link{30000, 9000, 0.9}));
  EXPECT_EQ(parse(write(loaded.profile, here, ""), "p.json", here).profile.openmpi.network, (Link{30000, 9000, 0.9}));
}

/// A profile with measured messages between nodes.
std::string with_nodes() {
  Profile profile = builtin();
  profile.openmpi_nodes = {
      .message = 15'000, .byte = 0.15, .greeting = 61'000, .segment = 8100, .operation = 0, .fabric_byte = 0.3};
  EXPECT_TRUE(profile.openmpi_nodes.set_name("tcp"));
  return write(profile, here, "today");
}

TEST(Profile, MessagesBetweenNodesAreThereIfTheyWereMeasured) {
  EXPECT_EQ(good().find("between_nodes"), std::string::npos);
  const Loaded loaded = parse(with_nodes(), "p.json", here);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.profile.openmpi_nodes.name(), "tcp");
  EXPECT_EQ(loaded.profile.openmpi_nodes.greeting, 61'000);
  EXPECT_FALSE(loaded.profile.mpich_nodes.measured());
  EXPECT_FALSE(parse(good(), "p.json", here).profile.openmpi_nodes.measured());
  EXPECT_EQ(write(loaded.profile, here, "today"), with_nodes());
}

TEST(Profile, MessagesBetweenNodesThatMakeNoSenseAreRefused) {
  const std::string group = "between_nodes_by_openmpi";
  refused(replaced(with_nodes(), "\"fabric_provider\": \"tcp\"", "\"fabric_provider\": \"\""),
          group + " has no fabric_provider of 1 to 23 letters");
  refused(replaced(with_nodes(), "\"tcp\"", "\"" + std::string(24, 'x') + "\""), group + " has no fabric_provider");
  refused(replaced(with_nodes(), "\"tcp\"", "7"), group + " has no fabric_provider");
  refused(replaced(with_nodes(), "\"fabric_segment_ns\"", "\"segment\""), group + " has no number fabric_segment_ns");
  refused(replaced(with_nodes(), "\"message_ns\": ", "\"message_ns\": -"), "a message between nodes (Open MPI) is -15000 ns");
  refused(replaced(with_nodes(), "\"message_byte_ns\": 0.15", "\"message_byte_ns\": 0"),
          "a byte of a message between nodes (Open MPI) is 0 ns");
  refused(replaced(with_nodes(), "\"fabric_byte_ns\": 0.3", "\"fabric_byte_ns\": 1e300"), "a byte over the fabric");
  refused(replaced(with_nodes(), group + "\": {", group + "\": [], \"was\": {"), "no " + group);
}

TEST(Profile, MessagesThatMakeNoSenseAreRefused) {
  refused(replaced(with_messages(), "\"shared_core_turn_ns\"", "\"turn\""),
          "messages_of_mpich has no number shared_core_turn_ns");
  refused(replaced(with_messages(), "\"further_ns\": ", "\"further_ns\": -"), "a further message (MPICH) is -77 ns");
  refused(replaced(with_messages(), "\"one_ns\": ", "\"one_ns\": \"many\", \"was\": "), "no number one_ns");
  refused(replaced(with_messages(), "\"byte_ns\": 0.05", "\"byte_ns\": 1e300"), "a byte of a message (MPICH)");
  refused(replaced(with_messages(), "\"4 B\": 3.5", "\"4 B\": -3.5"), "a byte of a message in blocks of 4 B (MPICH)");
  refused(replaced(with_messages(), "\"4 B\": 3.5", "\"5 B\": 3.5"), "with_holes_ns_per_byte has no number 4 B");
  refused(replaced(good(), "\"process_vm_readv\"", "\"messages_between_nodes\": [], \"process_vm_readv\""),
          "no messages_between_nodes");
}

TEST(Profile, AnyFlippedByteIsReadOrRefusedNeverWorse) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string text = i % 3 == 0 ? good() : i % 3 == 1 ? with_messages() : with_nodes();
    for (int flips = 0; flips < 3; ++flips) text[random() % text.size()] = static_cast<char>(random());
    const Loaded loaded = parse(text, "p.json", here);
    EXPECT_EQ(absurd(loaded.profile), "");
  }
}

TEST(Profile, FilesThatAreNotThere) {
  EXPECT_EQ(load("", here).complaint, "");
  EXPECT_NE(load("/no/such/file", here).complaint.find("cannot be read (No such file or directory)"), std::string::npos);
  EXPECT_NE(load("/", here).complaint, "");
}

TEST(Profile, AutoIsTheUsualPlaceIfThereIsOne) {
  const std::filesystem::path home = std::filesystem::temp_directory_path() / ("heddle-profile-" + std::to_string(getpid()));
  std::filesystem::create_directories(home / "heddle");
  setenv("XDG_CONFIG_HOME", home.c_str(), 1);
  EXPECT_EQ(usual_path(), home / "heddle/profile.json");
  const std::string site = "/etc/heddle/profile.json";
  EXPECT_EQ(profile_path("auto"), std::filesystem::exists(site) ? site : "");
  std::ofstream(usual_path()) << good();
  EXPECT_EQ(profile_path("auto"), usual_path());
  EXPECT_EQ(load(profile_path("auto"), here).complaint, "");
  EXPECT_EQ(profile_path("builtin"), "");
  EXPECT_EQ(profile_path("my.json"), "my.json");
  unsetenv("XDG_CONFIG_HOME");
  std::filesystem::remove_all(home);
}

TEST(Profile, CurvesGoThroughTheirPoints) {
  Curve curve;
  for (std::size_t i = 0; i < Curve::points; ++i) curve.ns[i] = static_cast<double>(10 * i);
  for (std::size_t i = 0; i < Curve::points; ++i) EXPECT_DOUBLE_EQ(curve.at(Curve::lengths[i]), curve.ns[i]);
  EXPECT_DOUBLE_EQ(curve.at(8), 5);
  EXPECT_DOUBLE_EQ(curve.at(0), 0);
  EXPECT_DOUBLE_EQ(curve.at(1), 0);
  EXPECT_DOUBLE_EQ(curve.at(1e18), 70);
}

TEST(Links, EveryNumberIsReduced) {
  Links links = builtin_links;
  reduce(links, [](const double* mine, double* all, int numbers) {
    for (int i = 0; i < numbers; ++i) all[i] = mine[i] + 1;
    return true;
  });
  EXPECT_EQ(links.node.latency, builtin_links.node.latency + 1);
  EXPECT_EQ(links.network.byte, builtin_links.network.byte + 1);
  EXPECT_EQ(links.regroup, builtin_links.regroup + 1);
  const Links before = links;
  reduce(links, [](const double*, double*, int) { return false; });
  EXPECT_EQ(links, before);
}

}  // namespace
}  // namespace heddle::select::profile_test
