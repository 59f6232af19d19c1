# SPDX-License-Identifier: Apache-2.0
#
# kbase_add_plugin(NAME SOURCES...) makes the plugin kbase-NAME.so, which a configuration names as `plugin: NAME`. The
# target is kbase-NAME too; link to it what the plugin is made of. Works in kbase's own tree and, after
# find_package(kbase-plugin), in yours, for C and C++.
#
# The file exports kb_plugin_entry and nothing else, so that neither the server's nor another plugin's copy of a library
# is taken for the plugin's own; all that it needs is found when it is linked, not when a server loads it. It is put into
# the folder `plugins` of the build tree.

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

# What is missing is an error of the linker. Clang's sanitizers are the exception: their runtime is in the program alone.
function(kbase_need_all_symbols target)
  set(options "${KBASE_SANITIZE} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}")
  if("${CMAKE_C_COMPILER_ID} ${CMAKE_CXX_COMPILER_ID}" MATCHES "Clang" AND (KBASE_SANITIZE OR options MATCHES "-fsanitize"))
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,defs)
endfunction()
