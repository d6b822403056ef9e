// tool/tune/process_pair.hpp: a second process on another core, joined by
// transport/join_node.hpp, which runs functions on demand.
//
//   Pair pair;                                                       // forks; the second process is the sender
//   pair.sender([](Pair& p, long bytes) { memset(p.shared, 1, bytes); return 0.0; }, 1 << 18);
//   memcpy(p.mine, p.shared, 1 << 18);                               // ... lines that the other core has just written
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "transport/join_node.hpp"

namespace heddle::tool {

/// ns on the clock of this machine.
double now() noexcept;

class Pair {
 public:
  /// Throws std::runtime_error with the reason if the second process cannot be started.
  Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  /// Ends the second process.
  ~Pair();

  /// Calls a function without captures in the other process, which has the same code. Returns its
  /// result.
  using Work = double (*)(Pair& pair, long argument);
  double sender(Work work, long argument);

  /// Half the time of a word's round trip to the other core, ns. `bytes` go with the word each way.
  double one_way(int times, long bytes);

  static constexpr long room = 4 << 20;  ///< Bytes of each of the next areas.
  std::byte* mine = nullptr;             ///< Private memory at the same address in both processes.
  std::byte* other = nullptr;            ///< A second area of this kind.
  std::byte* shared = nullptr;           ///< The sender's node memory, mapped by both.

  /// Copies the sender's memory; false: the system forbids it.
  [[nodiscard]] transport::Copier copier() const { return node_->transports().copier(0); }
  /// The cores of the two processes; empty: there is only one core.
  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }

 private:
  struct Board;
  void serve();
  template <class Done>
  void wait(const Done& done);

  std::vector<int> cores_;
  std::vector<std::byte> private_[2];
  std::unique_ptr<transport::JoinedNode> node_;
  Board* board_ = nullptr;
  pid_t child_ = 0;
};

}  // namespace heddle::tool
