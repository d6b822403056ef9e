// refuses: imitates a system that does not make memory of one object writable. The name of its file
// contains OF.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int mprotect(void* address, size_t bytes, int protection) {
  Dl_info found;
  if (protection & PROT_WRITE && dladdr(address, &found) && strstr(found.dli_fname, OF)) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_mprotect, address, bytes, protection);
}
