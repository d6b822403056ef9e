// glibc/start.c: for programs, besides older.c. Since 2.34 glibc's start of a program runs the constructors itself; before
// that, the program brought a procedure along that does. This is one, handed to the first version of __libc_start_main, which
// every glibc has and which calls what it is handed.
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

// Hidden: were it seen, the first version's name would be bound to it, too.
__attribute__((visibility("hidden"))) int __libc_start_main(Main program, int count, char** words, Constructor init,
                                                            void (*fini)(void), void (*linker)(void), void* stack) {
  return start_first(program, count, words, init ? init : construct, fini, linker, stack);
}
