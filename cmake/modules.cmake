# capsule_module(name [LINKS ...]): the library capsule_<name> from src/<name>/*.cpp, and, with
# tests on, the test program <name>_test from the src/<name>/*_test.cpp beside them. A name with a
# slash is a nested folder: workflow/pipeline becomes capsule_workflow_pipeline.
# UNHURRIED is for folders whose own time nobody notices beside the processes and disks they wait for, STRESSED
# for those whom tests give a million runs or gigabytes to work on: see capsule_library.
# TEST_LINKS is what its tests link besides; WHOLE as in capsule_test.
function(capsule_module name)
  cmake_parse_arguments(arg "UNHURRIED;STRESSED;WHOLE" "" "LINKS;TEST_LINKS" ${ARGN})
  set(pace)
  if(arg_UNHURRIED)
    list(APPEND pace UNHURRIED)
  endif()
  if(arg_STRESSED)
    list(APPEND pace STRESSED)
  endif()
  string(REPLACE "/" "_" id ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(links capsule_settings)
  foreach(link IN LISTS arg_LINKS)
    if(EXISTS ${PROJECT_SOURCE_DIR}/src/${link})
      string(REPLACE "/" "_" link_id ${link})
      list(APPEND links capsule_${link_id})
    else()
      list(APPEND links ${link})
    endif()
  endforeach()
  if(sources)
    capsule_library(capsule_${id} ${pace} ${sources})
    target_link_libraries(capsule_${id} PUBLIC ${links})
  else()
    add_library(capsule_${id} INTERFACE)
    target_link_libraries(capsule_${id} INTERFACE ${links})
  endif()
  if(CAPSULE_TESTS AND tests)
    set(whole)
    if(arg_WHOLE)
      set(whole WHOLE)
    endif()
    capsule_test(${id}_test ${whole} SOURCES ${tests} LINKS capsule_${id} ${arg_TEST_LINKS})
  endif()
endfunction()

# What nearly every source reads is read once: headers of others that change with the compiler only.
# A big list is no gain: the loading of it takes time in each file. Without <filesystem>, which takes
# a quarter of it.
file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
set(common_headers <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
  <tl/expected.hpp> <utility> <variant> <vector>)
add_library(capsule_headers OBJECT ${PROJECT_BINARY_DIR}/empty.cpp)
target_link_libraries(capsule_headers PRIVATE capsule_settings)
target_precompile_headers(capsule_headers PRIVATE ${common_headers})
# The same for what is not optimised where tests run: compilers tell the two apart.
add_library(capsule_plain_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/empty.cpp)
target_link_libraries(capsule_plain_headers PRIVATE capsule_settings)
target_compile_options(capsule_plain_headers PRIVATE -O0)
target_precompile_headers(capsule_plain_headers PRIVATE ${common_headers})

# Optimising takes two thirds of the time of a release build, and gains nothing in what is UNHURRIED:
# there it is one step less (of the largest folder a third less time). Where tests run it is two steps less,
# unless the tests would lose more than the compiler gains.
function(capsule_library name)
  cmake_parse_arguments(arg "UNHURRIED;STRESSED" "" "" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  if(CMAKE_BUILD_TYPE STREQUAL Debug AND arg_UNHURRIED AND NOT arg_STRESSED)
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM capsule_plain_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM capsule_headers)
  endif()
  if(arg_UNHURRIED)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# What every test program shares: GoogleTest, and definitions by which tests find the source tree and
# the built binary, never by the current folder.
function(capsule_test_settings)
  if(TARGET capsule_testing)
    return()
  endif()
  find_package(GTest REQUIRED GLOBAL)
  add_library(capsule_testing INTERFACE)
  target_link_libraries(capsule_testing INTERFACE capsule_settings GTest::gmock GTest::gtest_main)
  target_include_directories(capsule_testing INTERFACE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(capsule_testing INTERFACE
    CAPSULE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    CAPSULE_BINARY="$<TARGET_FILE:capsule>")

  # The headers of GoogleTest and of JSON take longer to read than most tests; they are read once. The
  # macros of tests take longest to optimise, which gains nothing: what is under test is optimised all
  # the same.
  add_library(capsule_test_headers OBJECT ${PROJECT_BINARY_DIR}/empty.cpp)
  target_link_libraries(capsule_test_headers PRIVATE capsule_testing)
  target_compile_options(capsule_test_headers PRIVATE -O0)
  target_precompile_headers(capsule_test_headers PRIVATE
    <algorithm> <filesystem> <fstream> <gmock/gmock.h> <gtest/gtest.h>
    <nlohmann/json.hpp> <tl/expected.hpp>)
endfunction()

# capsule_test(name SOURCES ... LINKS ... [OPTIMIZED]): a GoogleTest program whose tests ctest lists
# one by one. OPTIMIZED is for programs that hold heavy work themselves, such as a simulated world; WHOLE for
# those whose tests share what is dear to make: ctest lists the program as one test.
function(capsule_test name)
  cmake_parse_arguments(arg "OPTIMIZED;WHOLE" "" "SOURCES;LINKS" ${ARGN})
  enable_testing()
  include(GoogleTest)
  capsule_test_settings()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} capsule_testing)
  if(arg_OPTIMIZED)
    target_precompile_headers(${name} REUSE_FROM capsule_headers)
  else()
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM capsule_test_headers)
  endif()
  add_dependencies(${name} capsule)
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 900)
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 900)
  endif()
endfunction()

# The program itself: src/cli/*.cpp with every module that it connects.
function(capsule_program)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "^capsule_")
  list(REMOVE_ITEM targets capsule_settings capsule_headers capsule_plain_headers capsule_testing capsule_test_headers)
  set(library_sources ${sources})
  list(FILTER library_sources EXCLUDE REGEX "/main\\.cpp$")
  capsule_library(capsule_cli UNHURRIED ${library_sources})
  target_link_libraries(capsule_cli PUBLIC ${targets} capsule_settings Threads::Threads)
  add_executable(capsule ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  target_link_libraries(capsule PRIVATE capsule_cli)
  if(CAPSULE_STATIC)
    target_link_options(capsule PRIVATE -static-pie)
  endif()
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*_test.cpp)
  if(CAPSULE_TESTS AND tests)
    capsule_test(cli_test SOURCES ${tests} LINKS capsule_cli)
  endif()
endfunction()
