# SPDX-License-Identifier: Apache-2.0
#
# A room is a folder with one target. Its headers are included by their path from the top of the house
# ("domain/model/item.hpp"), yet only by rooms that link it: each room's include root is a folder of the build
# tree that holds nothing but a link to the room itself, so an arrow that CMake does not know does not compile.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_package(Threads REQUIRED)

# kbase_options(TARGET): the warnings and sanitizers every target of ours is built with.
function(kbase_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                                           -Wold-style-cast -Woverloaded-virtual -Werror)
  if(KBASE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${KBASE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${KBASE_SANITIZE})
    if(KBASE_SANITIZE MATCHES undefined)
      # It looks at an object through a pipe of its own, so a server that is out of descriptors, as tests make it,
      # would be told that its objects are none.
      target_compile_options(${target} PRIVATE -fno-sanitize=vptr)
    endif()
  endif()
  if(KBASE_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# kbase_room(TARGET SOURCES... [LINK_PUBLIC TARGETS...] [LINK_PRIVATE TARGETS...])
# The room of the current folder. Without sources it is header-only.
function(kbase_room target)
  cmake_parse_arguments(room "" "" "LINK_PUBLIC;LINK_PRIVATE" ${ARGN})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(root ${PROJECT_BINARY_DIR}/rooms/${target})
  get_filename_component(parent ${root}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${path} SYMBOLIC)

  if(room_UNPARSED_ARGUMENTS)
    add_library(${target} STATIC ${room_UNPARSED_ARGUMENTS})
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC ${room_LINK_PUBLIC} PRIVATE ${room_LINK_PRIVATE} Threads::Threads)
    kbase_options(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${root})
    target_link_libraries(${target} INTERFACE ${room_LINK_PUBLIC})
  endif()
endfunction()
