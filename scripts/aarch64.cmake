# scripts/aarch64.cmake: the toolchain of the preset aarch64. scripts/aarch64 fetches the parts.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_NM /usr/bin/aarch64-linux-gnu-nm)

get_filename_component(parts ${CMAKE_CURRENT_LIST_DIR}/../.mpi/aarch64 ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${parts}/debian/usr ${parts}/debian)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)  # the MPI libraries need libraries that only the emulator finds
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu
                                  -E LD_LIBRARY_PATH=${parts}/debian/lib/aarch64-linux-gnu:${parts}/debian/usr/lib/aarch64-linux-gnu)
