# Tests that are not about one room: the habits of the sources, the installed package, the README. They do not depend
# on the build's flags, so that a sanitizer build leaves them out.
if(BRIDLE_SANITIZE)
  return()
endif()
set(scripts ${PROJECT_SOURCE_DIR}/scripts)

# A check that finds its tool missing says so and exits with 77.
function(bridle_check name)
  cmake_parse_arguments(check "" "" "COMMAND;PROPERTIES" ${ARGN})
  add_test(NAME ${name} COMMAND ${check_COMMAND})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ${check_PROPERTIES})
endfunction()

bridle_check(habits/rooms COMMAND /usr/bin/python3 ${scripts}/check_rooms.py)
bridle_check(habits/rooms_self_test COMMAND /usr/bin/python3 ${scripts}/check_rooms.py --self-test)
bridle_check(habits/format COMMAND ${scripts}/check_format)
bridle_check(habits/tidy COMMAND ${scripts}/check_tidy
  PROPERTIES LABELS slow PROCESSORS 2 TIMEOUT 900)

# The package as an outside project meets it.
set(prefix ${PROJECT_BINARY_DIR}/install-test)
bridle_check(package/install
  COMMAND sh -c "rm -rf '${prefix}' && '${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --prefix '${prefix}'"
  PROPERTIES FIXTURES_SETUP installed)
bridle_check(package/find_package
  COMMAND ${scripts}/check_outside ${prefix} ${PROJECT_SOURCE_DIR}/tests/package ${PROJECT_BINARY_DIR}/outside
  PROPERTIES FIXTURES_REQUIRED installed)
bridle_check(package/embedded COMMAND ${scripts}/check_embedded ${PROJECT_BINARY_DIR}/embedded)
bridle_check(package/dockerfile COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/tests/package/dockerfile_test.py)
if(TARGET bridle)
  bridle_check(package/debian COMMAND ${scripts}/check_packages ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/package-test
    PROPERTIES LABELS slow TIMEOUT 900)
  bridle_check(docs/site COMMAND ${scripts}/site --check ${PROJECT_BINARY_DIR}/site)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/README.md AND TARGET bridle)
  bridle_check(docs/readme
    COMMAND ${scripts}/check_readme ${PROJECT_SOURCE_DIR}/README.md ${prefix} ${PROJECT_BINARY_DIR}/readme
    PROPERTIES FIXTURES_REQUIRED installed)
  bridle_check(docs/cpp
    COMMAND ${scripts}/check_readme ${PROJECT_SOURCE_DIR}/docs/cpp.md ${prefix} ${PROJECT_BINARY_DIR}/cpp-page
    PROPERTIES FIXTURES_REQUIRED installed)
  bridle_check(docs/first_hour
    COMMAND ${scripts}/check_readme ${PROJECT_SOURCE_DIR}/docs/first-hour.md ${prefix} ${PROJECT_BINARY_DIR}/first-hour
    PROPERTIES FIXTURES_REQUIRED installed)
endif()
