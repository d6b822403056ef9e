// A program that holds precompiled headers for others (CMakeLists.txt).
int main() {}
