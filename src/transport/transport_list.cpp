// transport/transport_list.cpp: makes each transport of the table that is allowed.
#include "transport/transport_list.hpp"

namespace heddle::transport {

TransportList::TransportList(const JoinedNode& node, const TransportSet& allowed) {
  for (const TransportEntry& entry : transports) {
    if (!entry.make || !allowed.has(entry)) continue;
    Transport* const made = all_.emplace_back(entry.make(node)).get();
    if (entry.can.copy) copying_.push_back(made);
    if (entry.can.map) mapping_.push_back(made);
    if (entry.can.map && entry.can.any_memory()) mapping_any_.push_back(made);
  }
}

}  // namespace heddle::transport
