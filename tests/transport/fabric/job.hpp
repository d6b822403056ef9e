// Processes that have a fabric each, and a page of shared memory in the place of MPI: it brings announcements and holds
// barriers in which the fabric goes on.
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

/// In shared memory.
struct Board {
  static constexpr int most = 8;
  std::atomic<int> arrived{0};
  std::atomic<int> round{0};
  std::atomic<int> size{0};
  std::atomic<bool> answered{false};
  std::atomic<bool> given_up{false};
  int process[most] = {};
  std::atomic<std::uint32_t> announced[most][most];  // messages from, to
  Announcement announcement[most][most];
};

struct Job {
  int me = 0;
  int size = 1;
  std::string provider;
  Board* board = nullptr;

  /// A fabric that has passed its self-test; the test fails if there is none.
  [[nodiscard]] std::unique_ptr<Fabric> open(Options options = {}) const;
  void barrier(Fabric& fabric) const;
  /// Brings an announcement to `to`, and takes the next one of `from`.
  void bring(Fabric& fabric, int to, const Announcement& announcement) const;
  [[nodiscard]] Announcement take(Fabric& fabric, int from) const;
  /// First contact with whoever has announced that, as messages of MPI begin (engine/contacts.hpp): a connection that is
  /// refused is tried again.
  void greet(Fabric& fabric, const Announcement& announced) const;
};

void run_job(int size, const std::string& provider, const std::function<void(Job&)>& body, int may_die = -1);

/// What tests are run over: TEST_PROVIDERS ("verbs;ofi_rxm", separated by blanks), or those that need no hardware.
std::vector<std::string> providers();
/// For names of tests: "verbs".
std::string short_name(const std::string& provider);
/// Whether the provider is there at all; else the test is to be passed over.
bool there_is(const std::string& provider);

/// Until it has ended; the test fails if that takes more than `seconds` (times slowness()).
State drive(Message& message, double seconds = 30);

/// The scheme that a sender and a receiver are to take.
struct Way {
  const char* name;
  Plan plan;
  bool in_place;
};
inline const Way ways[] = {
    {"bc-spup", {.if_unpacks = Scheme::bc_spup}, false},
    {"rwg-up", {.if_unpacks = Scheme::rwg_up}, false},
    {"p-rrs", {.if_in_place = Scheme::p_rrs}, true},
    {"multi-w", {.if_in_place = Scheme::multi_w}, true},
};

}  // namespace heddle::transport::fabric::testing
