# SPDX-License-Identifier: Apache-2.0
#
# Settings of the builds of packages and releases, for `cmake -C`. Two builds of one commit make equal files: these contain
# no path of the machine, and there are no precompiled headers (docs/decisions/0042-releases.md).
set(paths "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
set(CMAKE_C_FLAGS ${paths} CACHE STRING "")
set(CMAKE_CXX_FLAGS ${paths} CACHE STRING "")
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON CACHE BOOL "")
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "")
set(CMAKE_INSTALL_SYSCONFDIR /etc CACHE PATH "")
set(KBASE_BUILD_TESTS OFF CACHE BOOL "")
