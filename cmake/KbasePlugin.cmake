# SPDX-License-Identifier: Apache-2.0
#
# kbase_add_plugin(NAME SOURCES...) builds the plugin kbase-NAME.so, which a configuration selects with `plugin:
# NAME`. The target is also called kbase-NAME; link the plugin's libraries to it. Works for C and C++, in kbase's own
# tree and, after find_package(kbase-plugin), in other projects.
#
# The file exports only kb_plugin_entry, so that the plugin never uses the server's or another plugin's copy of a
# library. Missing symbols are errors when it is linked, not when a server loads it. The file is written to the folder
# `plugins` of the build tree.

set(KBASE_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/kbase-plugin.map)

function(kbase_add_plugin name)
  set(target kbase-${name})
  add_library(${target} MODULE ${ARGN})
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               SUFFIX .so
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins
               C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               LINK_DEPENDS ${KBASE_PLUGIN_EXPORTS})
  target_compile_definitions(${target} PRIVATE KBASE_PLUGIN_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE kbase::plugin)
  target_link_options(${target} PRIVATE -Wl,--version-script=${KBASE_PLUGIN_EXPORTS} -Wl,-z,noexecstack -Wl,-z,relro
                      -Wl,-z,now)
  kbase_need_all_symbols(${target})
endfunction()

# Makes missing symbols a linker error. Exception: Clang's sanitizers, whose runtime is only in the program.
function(kbase_need_all_symbols target)
  set(options "${KBASE_SANITIZE} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}")
  if("${CMAKE_C_COMPILER_ID} ${CMAKE_CXX_COMPILER_ID}" MATCHES "Clang" AND (KBASE_SANITIZE OR options MATCHES "-fsanitize"))
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,defs)
endfunction()
