// engine/node/lost.hpp: finds the message of a descriptor that was written over after it arrived,
// by the status of its receive.
//
//   if (const auto lost = Lost(node, receipt).find()) ...            // the descriptor
#pragma once

#include <optional>
#include <vector>

#include "engine/node/arrival.hpp"

namespace heddle::engine {

class Lost {
 public:
  Lost(Node& node, const Receipt& receipt) noexcept : node_(node), receipt_(receipt) {}

  /// The descriptor of the oldest message that fits. The caller claims the message, and asks again
  /// if another receive was faster.
  [[nodiscard]] std::optional<Descriptor> find() noexcept;

 private:
  struct Candidate {
    std::uint64_t generation;
    const Announcements::Entry* entry;
  };
  [[nodiscard]] bool announced_by(int peer) const noexcept;
  void look();
  [[nodiscard]] std::optional<Descriptor> read(const Candidate& candidate) const noexcept;
  [[nodiscard]] std::optional<Descriptor> oldest(const Standing& standing) const noexcept;
  [[nodiscard]] std::size_t count(const Standing& standing) const noexcept;

  Node& node_;
  const Receipt& receipt_;
  std::vector<Candidate> candidates_;  // the oldest first
};

}  // namespace heddle::engine
