# SPDX-License-Identifier: Apache-2.0
#
# find_package(kbase-plugin 1.0 REQUIRED) defines
#   kbase::plugin         the C header, <kbase/plugin.h>
#   kbase::plugin_sdk     the C++ SDK: ports, model and "plugins/sdk/plugin.hpp"; needs C++20
#   kbase::plugin_check   the program that certifies a plugin, for add_test
#   kbase_add_plugin()    see KbasePlugin.cmake
include(CMakeFindDependencyMacro)
find_dependency(Threads)

include(${CMAKE_CURRENT_LIST_DIR}/KbasePlugin.cmake)
if(TARGET kbase::plugin)
  return()
endif()
get_filename_component(kbase_plugin_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

add_library(kbase::plugin INTERFACE IMPORTED)
target_include_directories(kbase::plugin INTERFACE "${kbase_plugin_prefix}/include")

add_library(kbase::plugin_sdk STATIC IMPORTED)
set_target_properties(kbase::plugin_sdk PROPERTIES IMPORTED_LOCATION "${kbase_plugin_prefix}/lib/libkbase-plugin-sdk.a")
target_include_directories(kbase::plugin_sdk INTERFACE "${kbase_plugin_prefix}/include/kbase-sdk")
target_link_libraries(kbase::plugin_sdk INTERFACE kbase::plugin Threads::Threads)
target_compile_features(kbase::plugin_sdk INTERFACE cxx_std_20)

add_executable(kbase::plugin_check IMPORTED)
set_target_properties(kbase::plugin_check PROPERTIES IMPORTED_LOCATION "${kbase_plugin_prefix}/bin/kbase-plugin-check")
