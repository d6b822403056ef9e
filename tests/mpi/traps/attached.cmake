# Memory that is attached by XPMEM. A library stands in for libxpmem. traps.cmake includes this
# file.
foreach(family ${families})
  if(NOT TARGET heddle_${family} OR NOT TARGET xpmem_stand_in OR family STREQUAL abi)
    continue()  # objects that all interposers share carry it out
  endif()
  string(REPLACE "-n;8" "-n;2" two "${launcher_${family}}")
  add_dependencies(heddle-attached-${family} xpmem_stand_in)

  # heddle_attached(name notices SETTINGS variable=value... ARGUMENTS argument...): with XPMEM, for
  # which a library stands in.
  function(heddle_attached name notices)
    cmake_parse_arguments(PARSE_ARGV 2 one "" "" "SETTINGS;ARGUMENTS")
    heddle_preloaded(environment ${family} on)
    add_test(NAME traps.attached.${name}.${family}
             COMMAND ${python} ${here}/refused.py ${notices} ${two} ${environment} HEDDLE_TRANSPORTS=mapped,xpmem,cma,ring
                     LD_LIBRARY_PATH=$<TARGET_FILE_DIR:xpmem_stand_in> ${one_SETTINGS} $<TARGET_FILE:heddle-attached-${family}>
                     ${one_ARGUMENTS})
    set_tests_properties(traps.attached.${name}.${family} PROPERTIES TIMEOUT 400 LABELS "mpi;traps")
  endfunction()
  heddle_attached(direct 0 SETTINGS HEDDLE_SCHEME=direct ARGUMENTS attaches)
  heddle_attached(both 0 SETTINGS HEDDLE_SCHEME=both ARGUMENTS attaches)
  heddle_attached(alone 0 SETTINGS HEDDLE_SCHEME=direct HEDDLE_TRANSPORTS=xpmem)
  heddle_attached(chosen 0)
  heddle_attached(make 1 SETTINGS HEDDLE_SCHEME=direct XPMEM_STAND_IN_REFUSES=make ARGUMENTS none)
  heddle_attached(get 1 SETTINGS HEDDLE_SCHEME=direct XPMEM_STAND_IN_REFUSES=get ARGUMENTS none)
  heddle_attached(attach 0 SETTINGS HEDDLE_SCHEME=direct XPMEM_STAND_IN_REFUSES=attach ARGUMENTS none)
  heddle_attached(attach_alone 0 SETTINGS HEDDLE_SCHEME=direct HEDDLE_TRANSPORTS=xpmem XPMEM_STAND_IN_REFUSES=attach ARGUMENTS none)
  heddle_attached(missing 1 SETTINGS HEDDLE_SCHEME=direct LD_LIBRARY_PATH=)
endforeach()
