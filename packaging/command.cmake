# `cmake --install` runs this: it makes the parts of the command that depend on the prefix, and the
# man pages. The variables version, packaging, python and vendor are set.
if(vendor AND NOT (EXISTS "${vendor}/typer" AND EXISTS "${vendor}/jinja2"))
  message(FATAL_ERROR "heddle: ${vendor} has not the Python packages of the command. `make bootstrap` fetches them; "
                      "-DHEDDLE_VENDOR= leaves them to the system's python3.")
endif()
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
if(vendor)
  file(REAL_PATH "${vendor}" vendor)
  file(INSTALL "${vendor}/" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/heddle/vendor" PATTERN __pycache__ EXCLUDE PATTERN bin EXCLUDE PATTERN stamp EXCLUDE
       PATTERN "*.so" EXCLUDE PATTERN "*.c" EXCLUDE)  # compiled parts suit one Python alone
endif()
set(prefix "${CMAKE_INSTALL_PREFIX}")
# All users must be able to read the files, whatever the umask of the one who installs them.
set(readable sh -c "umask 022 && exec \"$@\"" sh)
set(module "${root}/share/modulefiles/heddle/${version}")
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/modulefiles/heddle" TYPE DIRECTORY FILES "")
configure_file("${packaging}/modulefile.in" "${module}" @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND ${readable} "${python}" -m compileall -q -s "$ENV{DESTDIR}" "${root}/lib/heddle" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${readable} "${CMAKE_COMMAND}" -E env "PYTHONDONTWRITEBYTECODE=1" "PYTHONPATH=${root}/lib/heddle/python:${root}/lib/heddle/vendor"
                        "${python}" "${packaging}/pages.py" "${root}/share" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${readable} "${python}" -B "${packaging}/page.py" --installed "${root}/share/doc/heddle" COMMAND_ERROR_IS_FATAL ANY)
if(vendor)
  execute_process(COMMAND ${readable} "${python}" -B "${packaging}/sbom.py" "${root}/share/doc/heddle/heddle-command.cdx.json" vendored "${version}"
                          "${root}/lib/heddle/vendor" COMMAND_ERROR_IS_FATAL ANY)
endif()

# CMake's list of installed files (install_manifest.txt) gets those that this script has made, too.
file(GLOB_RECURSE made RELATIVE "${root}" "${root}/lib/heddle/*.pyc" "${root}/share/man/man1/heddle*.1" "${root}/share/doc/heddle/*.cdx.json")
list(APPEND made share/modulefiles/heddle/${version} share/bash-completion/completions/heddle share/zsh/site-functions/_heddle
                 share/fish/vendor_completions.d/heddle.fish)
list(TRANSFORM made PREPEND "${CMAKE_INSTALL_PREFIX}/")
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${made})
list(REMOVE_DUPLICATES CMAKE_INSTALL_MANIFEST_FILES)
