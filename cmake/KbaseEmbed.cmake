# SPDX-License-Identifier: Apache-2.0

# kbase_embed(TARGET FILE...): makes the text files available to the sources of TARGET. For "schema.json" of the folder
# app/config, "app/config/schema_json.hpp" defines kbase::config::kSchemaJson. The namespace is the name of the folder.
function(kbase_embed target)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(namespace ${folder} NAME)
  foreach(file ${ARGN})
    string(REPLACE "." "_" name ${file})
    string(REPLACE "_" ";" words ${name})
    set(constant k)
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 first)
      string(TOUPPER ${first} first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(APPEND constant ${first}${rest})
    endforeach()
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${target}/${folder}/${name}.hpp @ONLY CONTENT
      "// Generated from ${file}.\n#pragma once\n\nnamespace kbase::${namespace} {\n\ninline constexpr char ${constant}[] = R\"EMBEDDED(@text@)EMBEDDED\";\n\n}  // namespace kbase::${namespace}\n")
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded/${target})
endfunction()
