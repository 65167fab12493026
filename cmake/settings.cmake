# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CAPSULE_CCACHE ccache)
if(CAPSULE_CCACHE)
  # The sloppiness is what ccache asks for when headers are precompiled. It reads what a file includes from the
  # list that the compiler writes: without that, an empty cache has each file preprocessed once more.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${CAPSULE_CCACHE})
endif()

find_package(Threads REQUIRED)

add_library(capsule_settings INTERFACE)
target_include_directories(capsule_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(capsule_settings INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wcast-qual
  -Wformat=2 -Wundef
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)  # CHECK says src/…, on whatever machine it was built
# What nobody calls is left out of what users run; elsewhere that is not worth a twentieth of the compiler's time.
target_compile_options(capsule_settings INTERFACE
  $<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
target_link_options(capsule_settings INTERFACE $<$<CONFIG:Release>:-Wl,--gc-sections>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ collects its garbage again and again, an eighth of its time; half a gibibyte is there for the taking.
  target_compile_options(capsule_settings INTERFACE --param=ggc-min-heapsize=524288)
  # g++ 12 sees writes past the end of short std::strings where there are none; clang and the
  # sanitizers look for real ones.
  target_compile_options(capsule_settings INTERFACE
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A class that holds a type of its file's unnamed namespace looks to g++ as if it came from a header:
  # in a unit of several files every file is included.
  target_compile_options(capsule_settings INTERFACE -Wno-subobject-linkage)
endif()
# Where tests run, the library looks at each index and iterator; where users run, the program ends before
# a write past a buffer or over a return address is of use to anybody.
target_compile_definitions(capsule_settings INTERFACE
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS> $<$<CONFIG:Release>:_FORTIFY_SOURCE=3>)
target_compile_options(capsule_settings INTERFACE
  $<$<CONFIG:Release>:-fstack-protector-strong> $<$<CONFIG:Release>:-fstack-clash-protection>)
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(capsule_settings INTERFACE -fpch-preprocess)  # ccache asks for it
endif()
target_compile_definitions(capsule_settings INTERFACE
  CAPSULE_VERSION="${PROJECT_VERSION}"
  CAPSULE_RELEASE_DATE="${CAPSULE_RELEASE_DATE}")
if(CAPSULE_SANITIZE)
  target_compile_options(capsule_settings INTERFACE
    -fsanitize=${CAPSULE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(capsule_settings INTERFACE -fsanitize=${CAPSULE_SANITIZE})
  target_compile_definitions(capsule_settings INTERFACE CAPSULE_SANITIZED)
endif()
# Whoever changes a low folder links every test program anew; gold takes half the time for each.
find_program(CAPSULE_GOLD ld.gold)
if(CAPSULE_GOLD AND NOT CAPSULE_STATIC AND NOT CAPSULE_SANITIZE)
  target_link_options(capsule_settings INTERFACE -fuse-ld=gold)
endif()
if(CAPSULE_STATIC)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
if(CAPSULE_TEST_HOOKS)
  target_compile_definitions(capsule_settings INTERFACE CAPSULE_TEST_HOOKS)
endif()
