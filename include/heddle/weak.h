/* heddle/weak.h: HEDDLE_WEAK(name) is the address of a weak function, NULL where the program runs
 * without Heddle. For the other headers of this folder only.
 *
 * In code that is not position independent (gcc of some systems makes no other) a compiler puts the
 * address of a function into the instruction, and the linker, which sees no Heddle, puts NULL there
 * for good. Asked for by the global offset table it stays open until the program is loaded. */
#ifndef HEDDLE_WEAK_H
#define HEDDLE_WEAK_H

#if defined(__x86_64__) && defined(__LP64__) && !defined(__PIC__)
#define HEDDLE_WEAK_ADDRESS(name, to) __asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(to))
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__PIC__)
#define HEDDLE_WEAK_ADDRESS(name, to) \
  __asm__(".weak " #name "\n\tadrp %0, :got:" #name "\n\tldr %0, [%0, :got_lo12:" #name "]" : "=r"(to))
#endif

#ifdef HEDDLE_WEAK_ADDRESS
#define HEDDLE_WEAK(name)                      \
  __extension__({                              \
    unsigned long heddle_address;              \
    HEDDLE_WEAK_ADDRESS(name, heddle_address); \
    (__typeof__(&name))heddle_address;         \
  })
#else
#define HEDDLE_WEAK(name) (&name)
#endif

#endif
