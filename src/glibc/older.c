// glibc/older.c: lets a library that is linked with a new glibc run under an older one, from 2.28
// on.
//
// A linker binds a name to its newest version. On Debian 12 (glibc 2.36) dlopen becomes
// dlopen@GLIBC_2.34, which no older system has. Heddle's code and its static libstdc++ use such
// names. This file defines each name, hidden. The definition calls the first version of the
// procedure, which every later glibc keeps. A name that is new has no first version; its definition
// does the work as on older systems.
//
//   2.29  exp, log                              differ only in how they set errno
//   2.32  __libc_single_threaded, strerrorname_np, pthread_sigmask, pthread_getattr_np
//   2.33  stat, fstat, fstat64                  were __xstat in each program
//   2.34  dl…, pthread_…                        moved to libc.so from libdl.so and libpthread.so
//
// tests/python/test_wheel.py fails if the libraries use another such name. Add the name here then.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "version.h"

extern double exp_first(double);
extern double log_first(double);
extern void* dlopen_first(const char*, int);
extern void* dlsym_first(void*, const char*);
extern int dlclose_first(void*);
extern int dladdr_first(const void*, Dl_info*);
extern int dladdr1_first(const void*, Dl_info*, void**, int);
extern char* dlerror_first(void);
extern int pthread_create_first(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
extern int pthread_join_first(pthread_t, void**);
extern int pthread_sigmask_first(int, const sigset_t*, sigset_t*);
extern int pthread_once_first(pthread_once_t*, void (*)(void));
extern int pthread_mutex_trylock_first(pthread_mutex_t*);
extern int pthread_getattr_np_first(pthread_t, pthread_attr_t*);
extern int pthread_attr_getstack_first(const pthread_attr_t*, void**, size_t*);
FIRST_OF(exp_first, exp);
FIRST_OF(log_first, log);
FIRST_OF(dlopen_first, dlopen);
FIRST_OF(dlsym_first, dlsym);
FIRST_OF(dlclose_first, dlclose);
FIRST_OF(dladdr_first, dladdr);
__asm__(".symver dladdr1_first,dladdr1@" HEDDLE_GLIBC_OF_DLADDR1);
FIRST_OF(dlerror_first, dlerror);
FIRST_OF(pthread_create_first, pthread_create);
FIRST_OF(pthread_join_first, pthread_join);
FIRST_OF(pthread_sigmask_first, pthread_sigmask);
FIRST_OF(pthread_once_first, pthread_once);
FIRST_OF(pthread_mutex_trylock_first, pthread_mutex_trylock);
FIRST_OF(pthread_getattr_np_first, pthread_getattr_np);
FIRST_OF(pthread_attr_getstack_first, pthread_attr_getstack);

extern double exp(double);
extern double log(double);
double exp(double x) { return exp_first(x); }
double log(double x) { return log_first(x); }

// dlopen and dlsym depend on their caller (its search path, RTLD_NEXT). The caller stays this
// library.
void* dlopen(const char* file, int mode) { return dlopen_first(file, mode); }
void* dlsym(void* restrict handle, const char* restrict name) { return dlsym_first(handle, name); }
int dlclose(void* handle) { return dlclose_first(handle); }
int dladdr(const void* address, Dl_info* info) { return dladdr_first(address, info); }
int dladdr1(const void* address, Dl_info* info, void** more, int what) { return dladdr1_first(address, info, more, what); }

char* dlerror(void) { return dlerror_first(); }

int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict how, void* (*begin)(void*), void* restrict with) {
  return pthread_create_first(thread, how, begin, with);
}
int pthread_join(pthread_t thread, void** result) { return pthread_join_first(thread, result); }
int pthread_sigmask(int how, const sigset_t* restrict wanted, sigset_t* restrict before) {
  return pthread_sigmask_first(how, wanted, before);
}
int pthread_once(pthread_once_t* once, void (*procedure)(void)) { return pthread_once_first(once, procedure); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) { return pthread_mutex_trylock_first(mutex); }
int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) { return pthread_getattr_np_first(thread, attributes); }
int pthread_attr_getstack(const pthread_attr_t* restrict attributes, void** restrict lowest, size_t* restrict size) {
  return pthread_attr_getstack_first(attributes, lowest, size);
}

// 0 means that there may be threads, which is always safe: libstdc++ then counts references by
// atomic operations, as before 2.32.
char __libc_single_threaded = 0;

// It may return null; callers then print the number.
const char* strerrorname_np(int error) {
  const char* (*const newer)(int) = (const char* (*)(int))dlsym_first(RTLD_DEFAULT, "strerrorname_np");
  return newer ? newer(error) : 0;
}

// On these processors the kernel's struct stat equals glibc's.
int stat(const char* restrict path, struct stat* restrict facts) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, facts, 0);
}
int fstat(int file, struct stat* facts) { return (int)syscall(SYS_fstat, file, facts); }
int fstat64(int file, struct stat64* facts) { return (int)syscall(SYS_fstat, file, facts); }
