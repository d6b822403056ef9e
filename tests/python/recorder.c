// Stands for a launcher in tests/python/test_known_lines.py: prints its arguments and its
// environment with a NUL after each, or the banner of an MPI.
#include <stdio.h>
#include <string.h>

extern char** environ;

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return printf("%s\n", BANNER) < 0;
  for (int i = 0; i < argc; ++i) printf("%s%c", argv[i], 0);
  printf("--%c", 0);
  for (char** each = environ; *each; ++each) printf("%s%c", *each, 0);
  return 0;
}
