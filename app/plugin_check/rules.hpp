// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "app/plugin_check/rule.hpp"

/// The rules in kbase/base.h that apply to every plugin.
namespace kbase::plugin_check::rules {

inline constexpr std::string_view kBase = "kbase/base.h";

inline constexpr Rule kStructsGrow{kBase, " 2. A struct that may grow begins with struct_size",
                                   "rule 2 of the headers"};
inline constexpr Rule kLoans{kBase, " 4. Memory never changes its owner.", "rule 4 of the headers"};
inline constexpr Rule kNoUnwinding{kBase, " 5. Nothing unwinds across the boundary", "rule 5 of the headers"};
inline constexpr Rule kViews{kBase, " 6. Text is UTF-8, without a terminating zero", "rule 6 of the headers"};
inline constexpr Rule kProcess{kBase, " 7. The process is the server's.", "rule 7 of the headers"};
inline constexpr Rule kStopped{kBase, "#define KB_STOPPED 2", "KB_STOPPED"};
inline constexpr Rule kNoMemory{kBase, "#define KB_NO_MEMORY (-4)", "KB_NO_MEMORY"};
inline constexpr Rule kExplain{kBase, "/* Says why the call is about to return a failure.", "kb_host.explain"};
inline constexpr Rule kCancelled{kBase, "/* Not 0 once nobody waits for the call's answer.", "kb_host.cancelled"};
inline constexpr Rule kDeadline{kBase, "uint64_t deadline_ns;", "kb_call.deadline_ns"};
inline constexpr Rule kSchema{kBase, " * config_schema    A JSON Schema", "config_schema of every table"};
inline constexpr Rule kCreate{kBase, " * create           Makes an instance.", "create of every table"};
inline constexpr Rule kDestroy{kBase, " * destroy          Ends the instance", "destroy of every table"};
inline constexpr Rule kHealth{kBase, " * health           KB_OK: it can work.", "health of every table"};
inline constexpr Rule kThreads{kBase, " * Between create and destroy every function may be called", "every table"};
inline constexpr Rule kDescriptor{kBase, "/* Static for the life of the process. */", "kb_plugin"};
inline constexpr Rule kGetPort{kBase, "/* The table of a port (\"kbase.cache/1\"), static;", "kb_plugin.get_port"};
inline constexpr Rule kEntry{kBase, "/* The one symbol that a plugin exports.", "kb_plugin_entry"};
inline constexpr Rule kNote{kBase, "/* An ELF note by which a server refuses a file", "KB_NOTE"};

}  // namespace kbase::plugin_check::rules
