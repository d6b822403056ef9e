// transport/common_file.cpp: makes the file, opens it by /proc, and checks that it is the right
// one.
#include "transport/common_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "transport/assembly.hpp"
#include "transport/machine.hpp"

namespace heddle::transport {

std::string CommonFile::terms(const NodeOptions& options) {
  const std::uint64_t space = name_space("user");
  if (space == 0) return {};
  std::string terms = std::to_string(space) + ' ' + std::to_string(geteuid()) + ' ' + std::to_string(options.memory) + ' ' +
                      std::to_string(options.shared);
  for (const TransportEntry& entry : transports)
    if (options.allowed.has(entry)) terms.append(" ").append(entry.name);
  return terms;
}

Bytes CommonFile::memory_at(int process) const noexcept {
  return round_up(Assembly::bytes(processes_), huge_page) + shared_from(offer_.memory) * process;
}

void CommonFile::make(int processes, const NodeOptions& options) noexcept {
  if (processes < 2 || !options.has_memory()) return;
  processes_ = processes;
  offer_.memory = options.memory_of_process();
  const Bytes room = largest_file() - front();
  if (room < 0) return hear({});
  offer_.shared = std::min(options.shared_of_process(), room / processes / huge_page * huge_page);
  struct stat facts {};
  if (create_memory(shared_at(processes), file_) != 0 || fstat(file_.get(), &facts) != 0) return hear({});
  offer_.process = getpid();
  offer_.descriptor = file_.get();
  offer_.device = facts.st_dev;
  offer_.inode = facts.st_ino;
}

int CommonFile::open(int processes) noexcept {
  processes_ = processes;
  if (!file_) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%lld", static_cast<long long>(offer_.process),
                  static_cast<long long>(offer_.descriptor));
    Descriptor file(::open(path.data(), O_RDWR | O_CLOEXEC));
    if (!file) return errno;
    file_ = std::move(file);
  }
  struct stat facts {};
  if (fstat(file_.get(), &facts) != 0) return errno;
  if (facts.st_dev != offer_.device || facts.st_ino != offer_.inode) return ESTALE;
  return check_memory(file_.get(), shared_at(processes));
}

}  // namespace heddle::transport
