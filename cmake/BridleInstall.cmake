# Install rules. An outside project takes the solver with
#   find_package(Bridle REQUIRED)
#   target_link_libraries(program PRIVATE Bridle::bridle)
# and the command's rooms (Bridle::io, Bridle::apps, Bridle::report) with find_package(Bridle REQUIRED COMPONENTS command).
include(CMakePackageConfigHelpers)

set(BRIDLE_SOLVER_ROOMS core problem oracle scaling params algorithms finish second diagnose certify run network)
set(BRIDLE_COMMAND_ROOMS io mpi apps report)

add_library(bridle_solver INTERFACE)
foreach(room IN LISTS BRIDLE_SOLVER_ROOMS)
  target_link_libraries(bridle_solver INTERFACE bridle_${room})
endforeach()
add_library(Bridle::bridle ALIAS bridle_solver)
set_target_properties(bridle_solver PROPERTIES EXPORT_NAME bridle)
set_target_properties(bridle_settings PROPERTIES EXPORT_NAME settings)

# Two export sets, so that the solver can be found without the command's dependencies.
set(command_targets ${BRIDLE_COMMAND_ROOMS})
list(TRANSFORM command_targets PREPEND bridle_)
set(solver_targets ${BRIDLE_TARGETS} bridle_solver)
list(REMOVE_ITEM solver_targets ${command_targets})

set(bridle_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Bridle)
install(TARGETS ${solver_targets} EXPORT BridleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT BridleTargets NAMESPACE Bridle:: DESTINATION ${bridle_package_dir})
if(BRIDLE_COMMAND)
  install(TARGETS ${command_targets} EXPORT BridleCommandTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT BridleCommandTargets NAMESPACE Bridle:: DESTINATION ${bridle_package_dir})
else()
  list(TRANSFORM BRIDLE_COMMAND_ROOMS REPLACE "(.+)" "PATTERN;\\1;EXCLUDE" OUTPUT_VARIABLE unbuilt_rooms)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bridle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" ${unbuilt_rooms})

# For projects without CMake: pkg-config --cflags --libs bridle. A library stands before those it uses.
set(solver_libraries "")
foreach(room IN LISTS BRIDLE_SOLVER_ROOMS)
  get_target_property(kind bridle_${room} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    list(PREPEND solver_libraries -lbridle_${room})
  endif()
endforeach()
list(JOIN solver_libraries " " solver_libraries)
configure_file(${CMAKE_CURRENT_LIST_DIR}/bridle.pc.in ${PROJECT_BINARY_DIR}/bridle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bridle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/BridleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/BridleConfig.cmake INSTALL_DESTINATION ${bridle_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BridleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BridleConfig.cmake ${PROJECT_BINARY_DIR}/BridleConfigVersion.cmake
  DESTINATION ${bridle_package_dir})
