// glibc/start.c: the start of a program, which programs need besides older.c. Since 2.34 glibc
// itself runs a program's constructors. Before that, the program passed a procedure for it to
// __libc_start_main. This file defines that procedure, and passes it to the first version of
// __libc_start_main, which every glibc has.
#include "version.h"

typedef void (*Constructor)(int, char**, char**);
typedef int (*Main)(int, char**, char**);
extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);
extern int start_first(Main, int, char**, Constructor, void (*)(void), void (*)(void), void*);
FIRST_OF(start_first, __libc_start_main);

static void construct(int count, char** words, char** environment) {
  _init();
  for (Constructor* one = __init_array_start; one != __init_array_end; ++one) (*one)(count, words, environment);
}

// It is hidden. Otherwise the name of the first version would be bound to it, too.
__attribute__((visibility("hidden"))) int __libc_start_main(Main program, int count, char** words, Constructor init,
                                                            void (*fini)(void), void (*linker)(void), void* stack) {
  return start_first(program, count, words, init ? init : construct, fini, linker, stack);
}
