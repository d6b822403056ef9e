// Processes with a fabric each. A page of shared memory stands for MPI: it brings announcements,
// and holds barriers in which the fabric goes on.
//
//   run_job(2, "tcp", [](Job& job) { const auto fabric = job.open(); ... job.barrier(*fabric); });
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../processes.hpp"
#include "layout/layout.hpp"
#include "transport/fabric/fabric.hpp"
#include "transport/fabric/incoming.hpp"
#include "transport/fabric/outgoing.hpp"

namespace heddle::transport::fabric::testing {

/// The page of shared memory.
struct Board {
  static constexpr int most = 8;
  std::atomic<int> arrived{0};
  std::atomic<int> round{0};
  std::atomic<int> size{0};
  std::atomic<bool> answered{false};
  std::atomic<int> received{0};  // messages that have ended at their receiver
  int process[most] = {};
  std::atomic<std::uint32_t> announced[most][most];  // messages from, to
  Announcement announcement[most][most];
};

struct Job {
  int me = 0;
  int size = 1;
  std::string provider;
  Board* board = nullptr;

  /// A fabric that has passed its self-test. The test fails if there is none.
  [[nodiscard]] std::unique_ptr<Fabric> open(Options options = {}) const;
  void barrier(Fabric& fabric) const;
  /// Brings an announcement to `to`. take() takes the next one of `from`.
  void bring(Fabric& fabric, int to, const Announcement& announcement) const;
  [[nodiscard]] Announcement take(Fabric& fabric, int from) const;
  /// First contact with the process that has announced a message, as before messages of MPI
  /// (engine/network/wireup.hpp). A refused connection is tried again.
  void greet(Fabric& fabric, const Announcement& announced) const;
};

void run_job(int size, const std::string& provider, const std::function<void(Job&)>& body, int may_die = -1);

/// The providers for the tests: TEST_PROVIDERS ("verbs;ofi_rxm", separated by blanks), or those
/// that need no hardware.
std::vector<std::string> providers();
/// The provider's name in names of tests: "verbs".
std::string short_name(const std::string& provider);
/// The provider is available. If not, skip the test.
bool there_is(const std::string& provider);

/// Drives a message to its end. The test fails if that takes more than `seconds` (times
/// slowness()).
State drive(Message& message, double seconds = 120);

/// Schemes for a sender and its receiver.
struct Way {
  const char* name;
  Plan plan;
  bool in_place;
};
inline const Way ways[] = {
    {"bc-spup", {.if_unpacks = FabricScheme::bc_spup}, false},
    {"rwg-up", {.if_unpacks = FabricScheme::rwg_up}, false},
    {"p-rrs", {.if_in_place = FabricScheme::p_rrs}, true},
    {"multi-w", {.if_in_place = FabricScheme::multi_w}, true},
};

}  // namespace heddle::transport::fabric::testing
