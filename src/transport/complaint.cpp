// transport/complaint.cpp: words for findings.
#include "transport/complaint.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "transport/region.hpp"

namespace heddle::transport {
namespace {

std::string process(int number) { return "process " + std::to_string(number) + " of the node"; }

std::string what(const Finding& finding, int timeout_ms) {
  const std::string from = process(finding.from);
  const std::string to = process(finding.to);
  switch (finding.stage) {
    case Stage::memory:
      return from + " cannot create its node memory";
    case Stage::socket:
      return from + " cannot open a socket";
    case Stage::network:
      return from + " and " + to + " are in different network namespaces";
    case Stage::descriptor:
      if (finding.error == ETIMEDOUT)
        return from + " and " + to + " could not exchange descriptors within " + std::to_string(timeout_ms) + " ms";
      if (finding.error == EACCES) return from + " refused a descriptor that came from another process than " + to;
      return from + " cannot exchange descriptors with " + to;
    case Stage::map:
      return from + " cannot map the memory of " + to;
    case Stage::offer:
      return from + " cannot offer its memory by " + std::string(transports[finding.transport].means);
    case Stage::reach:
      return from + " cannot read the memory of " + to + " by " + std::string(transports[finding.transport].means);
    case Stage::none:
      break;
  }
  return from + " failed with " + to;
}

bool of_transport(const Finding& finding) { return finding.stage == Stage::offer || finding.stage == Stage::reach; }

std::string remedy(const Finding& finding) {
  if (finding.error == EMFILE || finding.error == ENFILE) return " Raise ulimit -n to change this.";
  if (finding.error == EFBIG) return " Raise ulimit -f or lower HEDDLE_NODE_MEMORY to change this.";
  if (finding.error == ENOMEM) return " Raise ulimit -v or lower HEDDLE_NODE_MEMORY to change this.";
  if (!of_transport(finding)) return "";
  std::string text = " " + std::string(transports[finding.transport].remedy) + " to change this, or set HEDDLE_TRANSPORTS=self";
  for (const TransportEntry& entry : transports)
    if (!entry.always && entry.by_default && index_of(entry) != finding.transport) text.append(",").append(entry.name);
  return text + ".";
}

/// A sentence for all findings of one kind; the first one is the example.
std::string sentence(const Finding& example, std::ptrdiff_t times, int timeout_ms) {
  std::string text = what(example, timeout_ms) + ": " + error_name(example.error);
  if (times > 1) text += " (and " + std::to_string(times - 1) + " more like it)";
  text += of_transport(example) ? "; messages there go without it." : "; messages there go through the MPI library.";
  return text + remedy(example);
}

}  // namespace

std::string describe(std::span<const Finding> findings, int processes, int timeout_ms) {
  std::string text;
  std::vector<Finding> said;
  for (const Finding& finding : findings) {
    const auto alike = [&finding](const Finding& other) { return finding.same_kind(other); };
    if (std::ranges::any_of(said, alike)) continue;
    said.push_back(finding);
    const auto times = std::ranges::count_if(findings, alike);
    if (!text.empty()) text += ' ';
    text += sentence(finding, times, timeout_ms);
  }
  // A process that is alone on its node is called "this process".
  if (processes == 1 && !text.empty()) text = "this process" + text.substr(process(0).size());
  return text;
}

}  // namespace heddle::transport
