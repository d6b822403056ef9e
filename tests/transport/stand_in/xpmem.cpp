// Stands in for libxpmem, whose kernel module the tests do not have. It attaches pages of a peer's
// memfd by mapping the same file (/proc/PID/fd), so both processes see one memory. Of other memory
// it attaches a copy of up to two pages, and refuses more.
//
//   XPMEM_STAND_IN_REFUSES=make,get,attach     these functions fail; xpmem_attach only for more than two pages
//
// The written names are those of libxpmem. xpmem_stand_in_*() are for tests.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <system_error>

#define STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

std::atomic<long> attaches{0};
std::mutex lock;
std::map<void*, std::size_t> attached;

bool refuses(const char* what) {
  const char* const all = std::getenv("XPMEM_STAND_IN_REFUSES");
  return all && std::strstr(all, what);
}

struct Found {
  std::string file;  // empty: no file that both map
  off_t offset = 0;
};

/// The file that the process has mapped at [begin, end).
Found file_at(long process, std::uintptr_t begin, std::uintptr_t end) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long low = 0, high = 0, offset = 0, inode = 0;
    unsigned major_of = 0, minor_of = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %x:%x %lu", &low, &high, rights, &offset, &major_of, &minor_of, &inode) != 7)
      continue;
    if (begin < low || end > high || rights[3] != 's' || inode == 0) continue;
    std::error_code gone;  // the process may have ended
    for (const auto& each : std::filesystem::directory_iterator(folder + "/fd", gone)) {
      struct stat facts {};
      if (stat(each.path().c_str(), &facts) == 0 && facts.st_ino == inode && facts.st_dev == makedev(major_of, minor_of))
        return {each.path(), static_cast<off_t>(offset + (begin - low))};
    }
  }
  return {};
}

void* copy_of(long process, std::uintptr_t begin, std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (size > 2 * page) return MAP_FAILED;
  void* const here = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  const bool whole = here != MAP_FAILED && pread(memory, here, size, static_cast<off_t>(begin)) == static_cast<ssize_t>(size);
  if (memory >= 0) close(memory);
  if (whole) return here;
  if (here != MAP_FAILED) munmap(here, size);
  return MAP_FAILED;
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

struct xpmem_addr {
  std::int64_t apid;
  off_t offset;
};

STAND_IN int xpmem_version() { return 0x26003; }

STAND_IN std::int64_t xpmem_make(void* begin, std::size_t size, int permit_type, void* permit) {
  if (refuses("make")) return fail(EPERM);
  if (begin || size != static_cast<std::size_t>(-1) || permit_type != 1 || reinterpret_cast<std::uintptr_t>(permit) != 0600)
    return fail(EINVAL);
  return (static_cast<std::int64_t>(getpid()) << 16) + 1;
}

STAND_IN int xpmem_remove(std::int64_t) { return 0; }

STAND_IN std::int64_t xpmem_get(std::int64_t segment, int flags, int permit_type, void*) {
  if (refuses("get")) return fail(EACCES);
  return flags == 2 && permit_type == 1 && segment > 0 ? segment + 1 : fail(EINVAL);
}

STAND_IN int xpmem_release(std::int64_t) { return 0; }

STAND_IN void* xpmem_attach(xpmem_addr from, std::size_t size, void* at) {
  const auto begin = static_cast<std::uintptr_t>(from.offset);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const long process = static_cast<long>(from.apid >> 16);
  if (at || begin % page != 0 || (refuses("attach") && size > 2 * page)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  size = (size + page - 1) / page * page;
  const Found found = file_at(process, begin, begin + size);
  void* here = MAP_FAILED;
  if (found.file.empty()) {
    here = copy_of(process, begin, size);
  } else if (const int file = open(found.file.c_str(), O_RDWR | O_CLOEXEC); file >= 0) {
    here = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, found.offset);
    close(file);
  }
  if (here == MAP_FAILED) return here;
  if (!found.file.empty()) ++attaches;
  const std::lock_guard guard(lock);
  attached[here] = size;
  return here;
}

STAND_IN int xpmem_detach(void* address) {
  const std::lock_guard guard(lock);
  const auto found = attached.find(address);
  if (found == attached.end()) return fail(EINVAL);
  munmap(address, found->second);
  attached.erase(found);
  return 0;
}

/// Attachments of files so far, and all attachments now.
STAND_IN long xpmem_stand_in_attaches() { return attaches; }
STAND_IN long xpmem_stand_in_attached() {
  const std::lock_guard guard(lock);
  return static_cast<long>(attached.size());
}
