# What needs PostgreSQL's library, which Debian has as a shared one only: a program of its own, so that
# nobody else pays for it (docs/decisions/0210-a-second-program.md).
find_path(CAPSULE_LIBPQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
find_library(CAPSULE_LIBPQ pq REQUIRED)
add_library(capsule_libpq INTERFACE)
target_include_directories(capsule_libpq SYSTEM INTERFACE ${CAPSULE_LIBPQ_INCLUDE})
target_link_libraries(capsule_libpq INTERFACE ${CAPSULE_LIBPQ})

# A real server for tests.
if(CAPSULE_TESTS)
  capsule_test_settings()
  file(GLOB postgres CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/postgres/*.cpp)
  add_library(capsule_postgres STATIC ${postgres})
  target_link_libraries(capsule_postgres PUBLIC capsule_testing capsule_libpq)
endif()
# The program: all that capsule has, and this part.
function(capsule_cluster_program)
  add_executable(capsule-cluster ${PROJECT_SOURCE_DIR}/src/cluster/program/main.cpp
    ${PROJECT_SOURCE_DIR}/src/cluster/program/part.cpp)
  target_link_libraries(capsule-cluster PRIVATE capsule_cluster capsule_cli)
  target_compile_options(capsule-cluster PRIVATE $<$<CONFIG:Debug>:-O0>)
  install(TARGETS capsule-cluster RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# One server for all of its tests.
capsule_module(cluster UNHURRIED WHOLE LINKS engine capsule_libpq Threads::Threads TEST_LINKS capsule_postgres)
capsule_cluster_program()

if(CAPSULE_TESTS)
  file(GLOB cluster_program_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cluster/*.cpp)
  capsule_test(cluster_program_test WHOLE SOURCES ${cluster_program_tests}
    LINKS capsule_harness capsule_base capsule_postgres)
  add_dependencies(cluster_program_test capsule-cluster)
endif()
