# bridle_room(NAME [USES room...] [LIBRARIES target...])
# One library per folder bridle/NAME, linked with the rooms it may use and nothing else. A room without .cpp files is
# header-only.
add_library(bridle_settings INTERFACE)
target_compile_features(bridle_settings INTERFACE cxx_std_20)
target_compile_options(bridle_settings INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overread>
  $<$<BOOL:${BRIDLE_WERROR}>:$<BUILD_INTERFACE:-Werror>>)
if(BRIDLE_SANITIZE)
  # Left out of "undefined": the checks at every access that the address sanitizer makes too where it matters (a null or
  # dangling pointer, an object that is too small, an address out of range), which take two thirds of the build's time.
  target_compile_options(bridle_settings INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined,float-cast-overflow>
    $<BUILD_INTERFACE:-fno-sanitize=null,alignment,object-size,pointer-overflow,vptr>
    $<BUILD_INTERFACE:-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(bridle_settings INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()
if(BRIDLE_FUZZ)
  target_compile_options(bridle_settings INTERFACE
    $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link;-Wno-unknown-warning-option>
    $<BUILD_INTERFACE:$<$<BOOL:$<TARGET_PROPERTY:BRIDLE_PLAIN>>:-fno-sanitize=all;-O0;-g0>>)
endif()
set(BRIDLE_TARGETS bridle_settings)

function(bridle_room name)
  cmake_parse_arguments(room "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridle/${name}/*.cpp)
  if(sources)
    add_library(bridle_${name} STATIC ${sources})
    if(BRIDLE_WITH_PYTHON)
      # Nobody replaces a function of the library from outside, so that it may still be inlined.
      set_target_properties(bridle_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_options(bridle_${name} PRIVATE -fno-semantic-interposition)
    endif()
    set(visibility PUBLIC)
  else()
    add_library(bridle_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(bridle_${name} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # The fuzz targets are about readers: the solver's loops are compiled quickly there, and not instrumented.
  if(BRIDLE_FUZZ AND sources AND NOT name MATCHES "^(core|io|apps|report|run)$")
    set_target_properties(bridle_${name} PROPERTIES BRIDLE_PLAIN ON)
  endif()
  list(TRANSFORM room_USES PREPEND bridle_)
  target_link_libraries(bridle_${name} ${visibility} bridle_settings Eigen3::Eigen ${room_USES} ${room_LIBRARIES})
  add_library(Bridle::${name} ALIAS bridle_${name})
  set_target_properties(bridle_${name} PROPERTIES EXPORT_NAME ${name})
  set(BRIDLE_TARGETS ${BRIDLE_TARGETS} bridle_${name} PARENT_SCOPE)
endfunction()
