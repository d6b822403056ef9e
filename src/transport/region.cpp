// transport/region.cpp: memfd, mmap and advice to the kernel.
#include "transport/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

namespace heddle::transport {
namespace {

// These flags are younger than the C libraries that Heddle is built with.
constexpr int populate_read = 22;       // MADV_POPULATE_READ, Linux 5.14
constexpr int populate_write = 23;      // MADV_POPULATE_WRITE
constexpr unsigned never_executed = 8;  // MFD_NOEXEC_SEAL, Linux 6.3
constexpr int collapse = 25;            // MADV_COLLAPSE, Linux 6.1: huge pages now, even if shmem_enabled says "never"

int result(int status) noexcept { return status < 0 ? errno : 0; }

}  // namespace

Bytes page_size() noexcept {
  static const Bytes size = sysconf(_SC_PAGESIZE);
  return size;
}

std::string error_name(int error) {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 32)
  if (const char* name = strerrorname_np(error)) return name;
#endif
#endif
  return "errno " + std::to_string(error);
}

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

int Mapping::map(int file, Bytes offset, Bytes size, Access access) noexcept {
  const int protection = access == Access::none ? PROT_NONE : access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  const Bytes slack = size >= huge_page ? huge_page : 0;
  const auto length = static_cast<std::size_t>(size);
  const auto reserved = static_cast<std::size_t>(size + slack);

  void* const place = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return errno;
  auto* const begin = static_cast<std::byte*>(place);
  std::byte* base = begin;
  if (slack > 0) {  // address and offset must agree modulo the huge page
    const auto address = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(begin));
    base += (offset % huge_page - address % huge_page + huge_page) % huge_page;
  }
  if (mmap(base, length, protection, MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED) {
    const int error = errno;
    munmap(place, reserved);
    return error;
  }
  if (base > begin) munmap(begin, static_cast<std::size_t>(base - begin));
  std::byte* const end = begin + reserved;
  if (base + length < end) munmap(base + length, static_cast<std::size_t>(end - (base + length)));
  madvise(base, length, MADV_HUGEPAGE);
  madvise(base, length, MADV_DONTDUMP);
  // After mlockall(MCL_FUTURE) a mapping counts against RLIMIT_MEMLOCK even without pages.
  if (access == Access::none) munlock(base, length);

  unmap();
  base_ = base;
  size_ = size;
  return 0;
}

void Mapping::unmap() noexcept {
  if (base_) munmap(base_, static_cast<std::size_t>(size_));
  base_ = nullptr;
  size_ = 0;
}

Bytes largest_file() noexcept {
  constexpr Bytes unlimited = std::numeric_limits<Bytes>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(unlimited)) return unlimited;
  return static_cast<Bytes>(limit.rlim_cur);
}

int create_memory(Bytes size, Descriptor& file) noexcept {
  if (size > largest_file()) return EFBIG;  // ftruncate would kill the process (SIGXFSZ)
  // If vm.memfd_noexec is 2, the kernel refuses a file that could be executed. Kernels before 6.3
  // do not know the flag.
  Descriptor fresh(memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING | never_executed));
  if (!fresh && errno == EINVAL) fresh = Descriptor(memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fresh) return errno;
  if (const int error = result(ftruncate(fresh.get(), size))) return error;
  if (const int error = result(fcntl(fresh.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) return error;
  file = std::move(fresh);
  return 0;
}

int check_memory(int file, Bytes size) noexcept {
  struct stat facts {};
  if (const int error = result(fstat(file, &facts))) return error;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0) return errno;
  if ((seals & F_SEAL_SHRINK) == 0) return EPERM;
  return facts.st_size < size ? EINVAL : 0;
}

void make_huge(std::byte* base, Bytes size) noexcept {
  const auto address = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(base));
  const Bytes before = round_up(address, huge_page) - address;
  const Bytes chunks = (size - before) / huge_page * huge_page;
  if (chunks <= 0) return;
  // Each chunk needs one page, or the kernel finds nothing to collapse. A kernel that cannot
  // populate cannot collapse either.
  for (Bytes at = before; at < before + chunks; at += huge_page)
    if (madvise(base + at, static_cast<std::size_t>(page_size()), populate_write) != 0) return;
  madvise(base + before, static_cast<std::size_t>(chunks), collapse);
}

bool prefault_owned(std::byte* base, Bytes size) noexcept {
  if (size > 0) make_huge(base, size);
  return populate_owned(base, size);
}

bool open_memory(std::byte* base, Bytes size) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(base) / static_cast<std::uintptr_t>(page_size()) *
                     static_cast<std::uintptr_t>(page_size());
  const auto before = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(base) - begin);
  return mprotect(base - before, static_cast<std::size_t>(round_up(before + size, page_size())), PROT_READ | PROT_WRITE) == 0;
}

bool open_owned(std::byte* base, Bytes size) noexcept { return open_memory(base, size) && populate_owned(base, size); }

bool populate_owned(std::byte* base, Bytes size) noexcept {
  if (size <= 0) return true;
  if (madvise(base, static_cast<std::size_t>(size), populate_write) == 0) return true;
  return errno == EINVAL;  // Linux before 5.14: pages come with use
}

void release_owned(std::byte* base, Bytes size) noexcept {
  if (size > 0) madvise(base, static_cast<std::size_t>(size), MADV_REMOVE);
}

void prefault_mapped(std::byte* base, Bytes size) noexcept {
  if (size > 0) madvise(base, static_cast<std::size_t>(size), populate_read);
}

}  // namespace heddle::transport
