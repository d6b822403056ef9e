# Traps of large noncontiguous messages: the first mistakes of a library that carries them itself.
# Each source is a suite of the same name, and each suite is a test. Without Heddle, most suites run
# in one job. ../CMakeLists.txt includes this file. Its functions are used here.
file(GLOB traps CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(FILTER traps EXCLUDE REGEX /large.cpp$)

set(ranks_of_traps_storm 8)
set(ranks_of_traps_overlapping 8)
# Without Heddle, too, Open MPI 5.0.11 fails in 5 of 150 storms of threads: a message overtakes
# another, MPI_Isend crashes in the receive of a fragment, or the job hangs.
set(attempts_traps_concurrent_probes_openmpi 3)
foreach(family ${families})
  add_library(large_${family} OBJECT ${CMAKE_CURRENT_LIST_DIR}/large.cpp)
  target_link_libraries(large_${family} PRIVATE mpi_test_support_${family} GTest::gtest)
  target_compile_options(large_${family} PRIVATE $<$<CONFIG:Release>:-O2>)  # much of a run is spent here
  heddle_suites(traps ${family} 4 SOURCES ${traps} WITH $<TARGET_OBJECTS:large_${family}> TIMEOUT 400 LABELS mpi traps)
  set(ending "")
  if(TARGET heddle_${family})
    set(ending .off)
  endif()
  # Without Heddle there is less to wear out, and a storm shows the order that the test asks for in
  # one round.
  set_tests_properties(traps.endurance.${family}${ending} PROPERTIES ENVIRONMENT TEST_MESSAGES=10000)
  set_tests_properties(traps.concurrent_probes.${family}${ending} PROPERTIES ENVIRONMENT TEST_ROUNDS=1)
  if(TARGET heddle_${family})  # the other programs have several threads
    heddle_preloaded(environment ${family} on)
    string(REPLACE "-n;8" "-n;4" four "${launcher_${family}}")
    add_test(NAME traps.one_thread.${family}
             COMMAND ${four} ${environment} TEST_THREADS=one TEST_ROUNDS=10 TEST_MESSAGES=10000 $<TARGET_FILE:heddle-traps-${family}>
                     --gtest_filter=-Overlapping.*)
    # This suite has a job of its own. The other suites use up the lengths of descriptors, which
    # tell sizes apart (docs/safety.md).
    add_test(NAME traps.one_thread.overlapping.${family}
             COMMAND ${launcher_${family}} ${environment} TEST_THREADS=one $<TARGET_FILE:heddle-traps-${family}> --gtest_filter=Overlapping.*)
    set_tests_properties(traps.one_thread.${family} traps.one_thread.overlapping.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps"
                                                                                                      PROCESSORS 2)
  endif()
endforeach()

# Programs with a main of their own: the end of MPI, the end of a rank, and refusals by the system.
# Their two or three ranks wait for much of the time, so programs without PROCESSORS run beside
# others.
set(python ${CMAKE_SOURCE_DIR}/.venv/bin/python)
set(here ${CMAKE_CURRENT_LIST_DIR}/programs)
foreach(family ${families})
  # MPICH itself sends and receives short vectors. It allocates memory for each of them, and needs
  # more than 128 KiB of stack. So tests of Heddle's stack and allocations have all messages packed.
  set(packed HEDDLE_MESSAGES=auto)
  if(NOT family STREQUAL openmpi)
    set(packed HEDDLE_MESSAGES=packed)
  endif()
  foreach(name attached cancelled_sends children communicators_apart destructor extensions faults fibre finalize freed_receives killed refused refused_later sessions thrown types)
    add_executable(heddle-${name}-${family} ${here}/${name}.cpp)
    target_link_libraries(heddle-${name}-${family} PRIVATE large_${family} mpi_test_support_${family} GTest::gtest)
    target_precompile_headers(heddle-${name}-${family} REUSE_FROM mpi_test_headers_${family})
    if(TARGET heddle_${family})
      add_dependencies(heddle-${name}-${family} heddle_${family})
    endif()
  endforeach()
  string(REPLACE "-n;8" "-n;2" two "${launcher_${family}}")
  string(REPLACE "-n;4" "-n;2" two "${two}")
  string(REPLACE "-n;2" "-n;3" three "${two}")
  set(modes none)
  if(TARGET heddle_${family})
    set(modes on off)
  endif()
  foreach(mode ${modes})
    heddle_preloaded(environment ${family} ${mode})
    set(suffix ${family})
    if(mode STREQUAL off)
      set(suffix ${family}.off)
    endif()
    foreach(case send ssend irecv freed both left file)
      add_test(NAME traps.finalize.${case}.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-finalize-${family}> ${case})
      set_tests_properties(traps.finalize.${case}.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
    endforeach()
    if(mode STREQUAL on)  # the ranks ask each other for the fabric just before they end
      foreach(case send both none)
        add_test(NAME traps.finalize.fabric.${case}.${suffix}
                 COMMAND ${two} ${environment} HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=128 $<TARGET_FILE:heddle-finalize-${family}> ${case})
        set_tests_properties(traps.finalize.fabric.${case}.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps;fabric")
      endforeach()
    endif()
    # multi-w and p-rrs differ below src/mpi, in objects that all interposers share
    # (../CMakeLists.txt).
    foreach(what seccomp dumpable)
      foreach(scheme auto native multi-w p-rrs)
        if(scheme STREQUAL auto OR (mode STREQUAL on AND (scheme STREQUAL native OR NOT family STREQUAL abi)))
          add_test(NAME refused.later.${what}.${scheme}.${suffix}
                   COMMAND ${two} ${environment} HEDDLE_SCHEME=${scheme} HEDDLE_WINDOWS=on $<TARGET_FILE:heddle-refused_later-${family}> ${what})
          set_tests_properties(refused.later.${what}.${scheme}.${suffix} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
        endif()
      endforeach()
      # Two nodes for Heddle are one node for MPICH, which would read packed messages there.
      if(mode STREQUAL on AND NOT family STREQUAL abi)
        set(threads "")
        if(what STREQUAL dumpable)
          set(threads threads)
        endif()
        add_test(NAME refused.later.${what}.fabric.${suffix}
                 COMMAND ${two} ${environment} HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=4096
                         $<TARGET_FILE:heddle-refused_later-${family}> ${what} ${threads})
        set_tests_properties(refused.later.${what}.fabric.${suffix} PROPERTIES TIMEOUT 400 LABELS "mpi;traps;fabric" SKIP_RETURN_CODE 77)
      endif()
    endforeach()
    if(mode STREQUAL on AND NOT family STREQUAL abi)
      add_test(NAME refused.later.seccomp.threads.${suffix}
               COMMAND ${two} ${environment} HEDDLE_WINDOWS=on HEDDLE_REPORT=${CMAKE_CURRENT_BINARY_DIR}/refused.${suffix}.json
                       $<TARGET_FILE:heddle-refused_later-${family}> seccomp threads)
      set_tests_properties(refused.later.seccomp.threads.${suffix} PROPERTIES TIMEOUT 400 LABELS "mpi;traps" SKIP_RETURN_CODE 77)
    endif()
    # MPICH's MPI_Finalize waits for receives that the program has freed, if it is told to.
    foreach(case calls threads finalize never beside)
      set(waits "")
      if(case STREQUAL finalize)
        set(waits MPIR_CVAR_FINALIZE_WAIT=1)
      endif()
      add_test(NAME traps.freed_receives.${case}.${suffix}
               COMMAND ${two} ${environment} ${waits} $<TARGET_FILE:heddle-freed_receives-${family}> ${case})
      set_tests_properties(traps.freed_receives.${case}.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
    endforeach()
    if(family STREQUAL mpich)
      foreach(case one several)
        set(threads "")
        if(case STREQUAL several)
          set(threads threads)
        endif()
        add_test(NAME traps.extensions.${case}.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-extensions-${family}> ${threads})
        set_tests_properties(traps.extensions.${case}.${suffix} PROPERTIES TIMEOUT 400 LABELS "mpi;traps" SKIP_RETURN_CODE 77)
        if(mode STREQUAL on)  # every request is a generalized request of Heddle's
          add_test(NAME traps.extensions.fabric.${case}.${suffix}
                   COMMAND ${two} ${environment} HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=128
                           $<TARGET_FILE:heddle-extensions-${family}> ${threads})
          set_tests_properties(traps.extensions.fabric.${case}.${suffix} PROPERTIES TIMEOUT 400 LABELS "mpi;traps;fabric" SKIP_RETURN_CODE 77)
        endif()
      endforeach()
    endif()
    add_test(NAME traps.destructor.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-destructor-${family}>)
    set_tests_properties(traps.destructor.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" ENVIRONMENT MALLOC_PERTURB_=85)
    add_test(NAME traps.types.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-types-${family}>)
    add_test(NAME traps.types.threads.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-types-${family}> threads)
    set_tests_properties(traps.types.${suffix} traps.types.threads.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps"
                         SKIP_RETURN_CODE 77)
    add_test(NAME traps.thrown.${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-thrown-${family}>)
    set_tests_properties(traps.thrown.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
    # Ranks that are gone when the others end, and revoked communicators. MPICH 5.0.2 without Heddle
    # fails in MPI_Init with MPIR_CVAR_ENABLE_FT. In a job that it has left, its MPI_Finalize waits
    # for the ranks that are gone, unless MPIR_CVAR_NO_COLLECTIVE_FINALIZE is set.
    set(cases abandoned)
    if(family STREQUAL openmpi)
      set(cases revoked revoked.threads tolerated killed killed.threads)
    elseif(family STREQUAL mpich AND mode STREQUAL on)
      list(APPEND cases abandoned.fabric)
    endif()
    foreach(test ${cases})
      string(REGEX MATCH "^([a-z]*)[.]?(.*)$" case ${test})
      set(case ${CMAKE_MATCH_1})
      set(variant ${CMAKE_MATCH_2})
      set(settings)
      set(threads)
      set(launched "-n;3")
      set(expected "as without Heddle")
      if(case STREQUAL abandoned)
        set(launched "-disable-auto-cleanup;-n;4")
        set(settings MPIR_CVAR_NO_COLLECTIVE_FINALIZE=1)
      elseif(NOT case STREQUAL revoked)
        set(launched "--with-ft;ulfm;-n;3")
        if(mode STREQUAL on)
          set(settings HEDDLE_VERBOSE=1)
          set(expected "off, because mpirun --with-ft.*as without Heddle")
        endif()
      endif()
      if(variant STREQUAL threads)
        set(threads threads)
      elseif(variant STREQUAL fabric)
        list(APPEND settings HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=128)
      endif()
      string(REPLACE "-n;2" "${launched}" launcher "${two}")
      add_test(NAME traps.faults.${test}.${suffix}
               COMMAND ${launcher} ${environment} ${settings} $<TARGET_FILE:heddle-faults-${family}> ${case} ${threads})
      set_tests_properties(traps.faults.${test}.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" PASS_REGULAR_EXPRESSION "${expected}"
                           SKIP_REGULAR_EXPRESSION "no threads")
    endforeach()
    foreach(case alone beside after)
      add_test(NAME traps.sessions.${case}.${suffix} COMMAND ${three} ${environment} $<TARGET_FILE:heddle-sessions-${family}> ${case})
      set_tests_properties(traps.sessions.${case}.${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" SKIP_RETURN_CODE 77)
    endforeach()
  endforeach()
  if(NOT TARGET heddle_${family})
    continue()
  endif()

  # MPICH 5.0.2 crashes in cancels without Heddle. For `fabric`, the machine plays two nodes, and
  # messages go by the fabric.
  heddle_preloaded(environment ${family} on)
  foreach(warm 0 1 2)
    add_test(NAME traps.communicators_apart.${warm}.${family}
             COMMAND ${two} ${environment} HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=4096
                     $<TARGET_FILE:heddle-communicators_apart-${family}> ${warm})
    set_tests_properties(traps.communicators_apart.${warm}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps;fabric")
  endforeach()
  foreach(case absent threads finalize)
    set(name traps.freed_receives.fabric.${case}.${family})
    if(case STREQUAL absent)
      set(name traps.freed_receives.absent.${family})
    endif()
    set(waits "")
    if(case STREQUAL finalize)
      set(waits MPIR_CVAR_FINALIZE_WAIT=1)
    endif()
    add_test(NAME ${name}
             COMMAND ${two} ${environment} ${waits} HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=4096
                     $<TARGET_FILE:heddle-freed_receives-${family}> ${case})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "mpi;traps;fabric")
  endforeach()
  foreach(way node fabric)
    set(fabric "")
    if(way STREQUAL fabric)
      set(fabric HEDDLE_NODES=2 HEDDLE_FABRIC=tcp HEDDLE_SCHEME=bc-spup HEDDLE_RENDEZVOUS=4096)
    endif()
    add_test(NAME traps.cancelled_sends.${way}.${family}
             COMMAND ${two} ${environment} ${fabric} $<TARGET_FILE:heddle-cancelled_sends-${family}>)
    add_test(NAME traps.cancelled_sends.${way}.threads.${family}
             COMMAND ${two} ${environment} ${fabric} $<TARGET_FILE:heddle-cancelled_sends-${family}> threads)
    add_test(NAME traps.freed_receives.${way}.${family}
             COMMAND ${two} ${environment} ${fabric} HEDDLE_WATCH=all $<TARGET_FILE:heddle-freed_receives-${family}> calls)
    set_tests_properties(traps.cancelled_sends.${way}.${family} traps.cancelled_sends.${way}.threads.${family}
                         traps.freed_receives.${way}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps;fabric" SKIP_RETURN_CODE 77)
  endforeach()

  set(preload "$<TARGET_FILE:heddle_${family}> ${library_${family}}")
  # The host's errors in calls that Heddle hands on. Heddle forgets a request whose completion
  # threw. Open MPI 5.0.11 is left out: in a truncating receive of contiguous bytes, it writes the
  # excess bytes behind the buffer, here into Heddle's staging buffer (docs/safety.md).
  if(NOT family STREQUAL openmpi)
    add_test(NAME traps.thrown.native.${family}
             COMMAND ${two} env "LD_PRELOAD=${preload}" HEDDLE_SCHEME=native TEST_HEDDLE=off
                     $<TARGET_FILE:heddle-thrown-${family}>)
    set_tests_properties(traps.thrown.native.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
  endif()

  # The programs that ranks start. An entry of the user's own stays.
  foreach(entries none libm.so.6)
    string(REPLACE none "" theirs ${entries})
    add_test(NAME traps.children.${entries}.${family}
             COMMAND ${two} env "LD_PRELOAD=${theirs} ${preload}" $<TARGET_FILE:heddle-children-${family}> ${entries})
    set_tests_properties(traps.children.${entries}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
  endforeach()
  # If device memory may come, Heddle is off, and says so once. It stays on if the user says that
  # none will come.
  add_library(heddle-driver-${family} SHARED ${here}/driver.c)
  set_target_properties(heddle-driver-${family} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver-${family}
                                                          OUTPUT_NAME cuda SUFFIX .so.1)
  add_dependencies(heddle-refused-${family} heddle-driver-${family})
  foreach(devices auto none)
    set(expected "off, because libcuda.so.1 is loaded")
    if(devices STREQUAL none)
      set(expected "heddle: on, over")
    endif()
    add_test(NAME traps.devices.${devices}.${family}
             COMMAND ${two} env "LD_PRELOAD=$<TARGET_FILE:heddle-driver-${family}> ${preload}" HEDDLE_DEVICES=${devices}
                     HEDDLE_VERBOSE=1 $<TARGET_FILE:heddle-finalize-${family}> send)
    set_tests_properties(traps.devices.${devices}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" PASS_REGULAR_EXPRESSION "${expected}"
                                                                       FAIL_REGULAR_EXPRESSION "wrong")
  endforeach()
  # HEDDLE_HEAP: pages of freed arrays stay with the process, unless the user has tuned malloc.
  add_executable(heddle-heap-${family} ${here}/heap.cpp)
  target_link_libraries(heddle-heap-${family} PRIVATE host_${family})
  foreach(case "kept HEDDLE_HEAP=keep" "returned HEDDLE_HEAP=system" "returned MALLOC_TRIM_THRESHOLD_=131072" "returned HEDDLE=off")
    string(REPLACE " " ";" case "${case}")
    list(GET case 0 expected)
    list(GET case 1 setting)
    add_test(NAME traps.heap.${setting}.${family}
             COMMAND ${two} env "LD_PRELOAD=${preload}" ${setting} $<TARGET_FILE:heddle-heap-${family}> ${expected})
    set_tests_properties(traps.heap.${setting}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
  endforeach()
  # Open MPI yields, or not, by its own switch.
  if(family STREQUAL openmpi)
    add_executable(heddle-yields-${family} ${here}/yields.cpp)
    target_link_libraries(heddle-yields-${family} PRIVATE host_${family} ${CMAKE_DL_LIBS})
    string(REPLACE "mpi_yield_when_idle;1" "mpi_yield_when_idle;0" spinning "${two}")
    foreach(yield on off)
      add_test(NAME traps.yields.${yield}.${family}
               COMMAND ${spinning} env "LD_PRELOAD=${preload}" HEDDLE_YIELD=${yield} $<TARGET_FILE:heddle-yields-${family}> ${yield})
      set_tests_properties(traps.yields.${yield}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
    endforeach()
  endif()
  # Messages of every scheme on a small stack.
  set(schemes bc-spup rwg-up p-rrs multi-w direct both auto)
  if(family STREQUAL abi)  # schemes differ below src/mpi alone
    set(schemes auto)
  endif()
  foreach(scheme ${schemes})
    add_test(NAME traps.fibre.${scheme}.${family}
             COMMAND ${two} env "LD_PRELOAD=${preload}" HEDDLE_SCHEME=${scheme} ${packed} $<TARGET_FILE:heddle-fibre-${family}>)
    set_tests_properties(traps.fibre.${scheme}.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps")
  endforeach()

  # heddle_refused(name notices SETTINGS variable=value... ARGUMENTS argument...)
  function(heddle_refused name notices)
    cmake_parse_arguments(PARSE_ARGV 2 one "" "" "SETTINGS;ARGUMENTS")
    heddle_preloaded(environment ${family} on)
    add_test(NAME refused.${name}.${family}
             COMMAND ${python} ${here}/refused.py ${notices} ${three} ${environment} ${one_SETTINGS} $<TARGET_FILE:heddle-refused-${family}>
                     ${one_ARGUMENTS})
    set_tests_properties(refused.${name}.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  endfunction()
  heddle_refused(nothing 0)
  heddle_refused(memory_to_one 1 ARGUMENTS memory=700 only=1)
  # MPICH 5.0.2 ends the job if process_vm is denied, unless it is told to do without.
  heddle_refused(process_vm 1 SETTINGS MPIR_CVAR_CH4_CMA_ENABLE=0 ARGUMENTS process_vm)
  if(NOT family STREQUAL abi)  # refused below src/mpi, in objects that all interposers share (../CMakeLists.txt)
    heddle_refused(process_vm_to_one 1 SETTINGS MPIR_CVAR_CH4_CMA_ENABLE=0 ARGUMENTS process_vm only=1)
    heddle_refused(locked 0 ARGUMENTS locked)
    heddle_refused(memfd 1 ARGUMENTS memfd)
    heddle_refused(memfd_to_one 1 ARGUMENTS memfd only=2)
    heddle_refused(descriptors 1 ARGUMENTS descriptors=2)
    heddle_refused(descriptors_to_one 1 ARGUMENTS descriptors=4 only=0)
    heddle_refused(memory 1 ARGUMENTS memory=700)
    heddle_refused(node_memory 1 SETTINGS HEDDLE_NODE_MEMORY=4M)
    foreach(transports ring cma mapped mpi self)
      heddle_refused(transports_${transports} 1 SETTINGS HEDDLE_TRANSPORTS=${transports})
    endforeach()
  endif()

  # One rank without Heddle: the job either runs without Heddle, or ends with an error that names a
  # way out. It never hangs.
  string(REPLACE "-n;3" "-n;1" one "${three}")
  heddle_preloaded(with_it ${family} on)
  heddle_preloaded(without_it ${family} none)
  set(program $<TARGET_FILE:heddle-refused-${family}>)
  add_test(NAME refused.absent.${family}
           COMMAND ${python} ${here}/refused.py either ${one} ${with_it} HEDDLE_PATIENCE=3 ${program} : -n 1 ${without_it} ${program})
  set_tests_properties(refused.absent.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  # The rank is in a collective by then, which must not be taken for an answer. It may be any rank.
  foreach(first iallreduce ibarrier dup cart)
    add_test(NAME refused.absent.${first}.${family}
             COMMAND ${python} ${here}/refused.py either ${one} ${with_it} HEDDLE_PATIENCE=1 ${program} first=${first}
                     : -n 1 ${without_it} ${program} first=${first})
    add_test(NAME refused.absent.${first}.first.${family}
             COMMAND ${python} ${here}/refused.py either ${one} ${without_it} ${program} first=${first}
                     : -n 1 ${with_it} HEDDLE_PATIENCE=1 ${program} first=${first})
    set_tests_properties(refused.absent.${first}.${family} refused.absent.${first}.first.${family}
                         PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  endforeach()
  # Ranks with different settings for algorithms: one notice, and the host's collectives.
  add_test(NAME refused.settings_differ.${family}
           COMMAND ${python} ${here}/refused.py 1 ${one} ${with_it} HEDDLE_ALLGATHERV=ring HEDDLE_CHECK=on HEDDLE_ALLTOALLV=crystal ${program}
                   : -n 1 ${with_it} ${program})
  set_tests_properties(refused.settings_differ.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  # If ranks of one machine give different amounts of node memory, they share no file. Each has its
  # own.
  add_test(NAME refused.common_file.${family}
           COMMAND ${python} ${here}/refused.py 0 ${one} ${with_it} HEDDLE_NODE_MEMORY=64M ${program} : -n 2 ${with_it} ${program})
  set_tests_properties(refused.common_file.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  # All ranks change the algorithm at the same call. Ranks that would take different algorithms are
  # found out.
  add_executable(heddle-agreed-${family} ${here}/agreed.cpp)
  target_link_libraries(heddle-agreed-${family} PRIVATE host_${family})
  target_include_directories(heddle-agreed-${family} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  add_dependencies(heddle-agreed-${family} heddle_${family})
  if(NOT family STREQUAL abi)  # with the standard ABI, waiting ranks do not yield, and so many ranks take minutes
    string(REPLACE "-n;3" "-n;12" twelve "${three}")
    add_test(NAME traps.agreed.${family} COMMAND ${twelve} ${with_it} HEDDLE_CHECK=on HEDDLE_TRIALS=off HEDDLE_YIELD=on HEDDLE_PROFILE=builtin $<TARGET_FILE:heddle-agreed-${family}>)
    set_tests_properties(traps.agreed.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps" PROCESSORS 2 PASS_REGULAR_EXPRESSION
                         "direct from call 0, two-level from call 8, direct from call (130|191), two-level from call [34][0-9][0-9], all alike")
  endif()
  # heddle_unlike(form what-the-others-do what-rank-1-does)
  function(heddle_unlike form others one)
    add_test(NAME traps.unlike.${form}.${family}
             COMMAND ${three} ${with_it} HEDDLE_CHECK=on $<TARGET_FILE:heddle-agreed-${family}> unlike ${form})
    set_tests_properties(traps.unlike.${form}.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps" PROCESSORS 2 PASS_REGULAR_EXPRESSION
                         "heddle: ranks do not agree on a collective .HEDDLE_CHECK.: ranks 0, 2: ${others}.*rank 1: ${one}")
  endfunction()
  heddle_unlike(gather "MPI_Allgatherv .call 0. by" "MPI_Allgatherv .call 0. by")
  heddle_unlike(short "MPI_Ialltoall .call 0. by direct" "MPI_Ialltoall .call 0. by the MPI")
  heddle_unlike(in-place "MPI_Alltoallv .call 0. by direct" "MPI_Alltoallv in place .call 0. by direct")
  heddle_unlike(kept "MPI_Alltoallw_init" "MPI_Alltoallv_init")
  heddle_unlike(started "MPI_Ialltoallw" "MPI_Alltoallv")
  heddle_unlike(neighbours "MPI_Neighbor_alltoall" "MPI_Neighbor_allgather")
  # Processes of two worlds, of which the second runs without Heddle.
  if(NOT family STREQUAL abi)
    add_executable(heddle-spawned-${family} ${here}/spawned.cpp)
    target_link_libraries(heddle-spawned-${family} PRIVATE host_${family})
    add_dependencies(heddle-spawned-${family} heddle_${family})
    foreach(mode on off)
      heddle_preloaded(environment ${family} ${mode})
      set(suffix "")
      if(mode STREQUAL off)
        set(suffix .off)
      endif()
      add_test(NAME traps.spawned.${family}${suffix} COMMAND ${two} ${environment} $<TARGET_FILE:heddle-spawned-${family}>)
      set_tests_properties(traps.spawned.${family}${suffix} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" PROCESSORS 2
                           PASS_REGULAR_EXPRESSION "all right")
    endforeach()
  endif()
  # Groups that are freed without Heddle's notice.
  add_executable(heddle-freed-past-${family} ${here}/freed_past.cpp)
  target_link_libraries(heddle-freed-past-${family} PRIVATE host_${family})
  add_dependencies(heddle-freed-past-${family} heddle_${family})
  string(REPLACE "-n;3" "-n;5" five "${three}")
  add_test(NAME traps.freed_past.${family} COMMAND ${five} ${with_it} $<TARGET_FILE:heddle-freed-past-${family}>)
  set_tests_properties(traps.freed_past.${family} PROPERTIES TIMEOUT 300 LABELS "mpi;traps" PROCESSORS 2)
  add_executable(heddle-steady-${family} ${here}/steady.cpp)
  target_link_libraries(heddle-steady-${family} PRIVATE host_${family})
  add_dependencies(heddle-steady-${family} heddle_${family})
  add_test(NAME traps.steady.${family} COMMAND ${two} ${with_it} ${packed} $<TARGET_FILE:heddle-steady-${family}>)
  set_tests_properties(traps.steady.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps" PROCESSORS 2)
  heddle_preloaded(switched_off ${family} off)
  add_test(NAME refused.off_on_one.${family}
           COMMAND ${python} ${here}/refused.py either ${one} ${with_it} ${program} : -n 1 ${switched_off} ${program})
  set_tests_properties(refused.off_on_one.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")

  heddle_preloaded(with_it ${family} on)
  heddle_preloaded(without_it ${family} none)
  add_test(NAME traps.killed.${family} COMMAND ${python} ${here}/killed.py ${three} ${with_it} $<TARGET_FILE:heddle-killed-${family}> --
                                               ${three} ${without_it} $<TARGET_FILE:heddle-killed-${family}>)
  set_tests_properties(traps.killed.${family} PROPERTIES TIMEOUT 600 LABELS "mpi;traps" PROCESSORS 2)
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/attached.cmake)
