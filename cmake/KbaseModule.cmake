# SPDX-License-Identifier: Apache-2.0
#
# A module is a folder with one target. Its headers are included by their path from the top of the source tree
# ("domain/model/item.hpp"). Only modules that link it can include them: the include root of each module is a folder of
# the build tree that contains only a link to the module, so a dependency that CMake does not know does not compile.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_package(Threads REQUIRED)

# kbase_options(TARGET): sets the warnings and sanitizers that every target of kbase uses.
function(kbase_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                                           -Wold-style-cast -Woverloaded-virtual -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 reports these falsely for std::string's operator+ (GCC bug 105651) and does not treat a precompiled
    # header as a system header. Clang and the address sanitizer find real cases.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                                             -Wno-stringop-overread)
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    # As on x86-64, where the tests run: a char has a sign, and a product is rounded before a sum, so that servers of
    # both architectures compute equal relevances.
    target_compile_options(${target} PRIVATE -fsigned-char -ffp-contract=off)
  endif()
  # hiredis requires it of its users, and precompiled headers require equal options everywhere. No effect where off_t
  # has 64 bits.
  target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  if(KBASE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${KBASE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${KBASE_SANITIZE})
    if(KBASE_SANITIZE MATCHES undefined)
      # This check probes an object's memory through a pipe. In a server without free descriptors, as tests create,
      # the pipe fails and the check reports valid objects.
      target_compile_options(${target} PRIVATE -fno-sanitize=vptr)
      if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
        # This check compares function types by address, and each plugin has its own copies.
        target_compile_options(${target} PRIVATE -fno-sanitize=function)
      endif()
    endif()
  endif()
  if(KBASE_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# kbase_precompile(TARGET HEADERS...): compiles the headers once, for targets with equal options that reuse them.
# Headers are half of the compile time of most sources. Sources must still include what they use: the clang preset
# does not precompile.
function(kbase_precompile target)
  set(source ${PROJECT_BINARY_DIR}/precompiled/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  target_sources(${target} PRIVATE ${source})
  target_precompile_headers(${target} PRIVATE ${ARGN})
  kbase_options(${target})
endfunction()

set(KBASE_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem> <functional> <map>
                           <memory> <mutex> <optional> <span> <string> <string_view> <utility> <variant> <vector>)
add_library(kbase_standard_headers OBJECT)
kbase_precompile(kbase_standard_headers ${KBASE_STANDARD_HEADERS})

# kbase_module(TARGET SOURCES... [LINK_PUBLIC TARGETS...] [LINK_PRIVATE TARGETS...] [PRECOMPILED TARGET]): defines the
# module of the current folder. Without sources it is header-only. PRECOMPILED names the target of kbase_precompile()
# to reuse.
function(kbase_module target)
  cmake_parse_arguments(module "" "PRECOMPILED" "LINK_PUBLIC;LINK_PRIVATE" ${ARGN})
  if(NOT module_PRECOMPILED)
    set(module_PRECOMPILED kbase_standard_headers)
  endif()
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(root ${PROJECT_BINARY_DIR}/modules/${target})
  get_filename_component(parent ${root}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${path} SYMBOLIC)

  if(module_UNPARSED_ARGUMENTS)
    add_library(${target} STATIC ${module_UNPARSED_ARGUMENTS})
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC ${module_LINK_PUBLIC} PRIVATE ${module_LINK_PRIVATE} Threads::Threads)
    kbase_options(${target})
    target_precompile_headers(${target} REUSE_FROM ${module_PRECOMPILED})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${root})
    target_link_libraries(${target} INTERFACE ${module_LINK_PUBLIC})
  endif()
endfunction()
