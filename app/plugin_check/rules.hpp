// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "app/plugin_check/rule.hpp"

/// The rules in kbase/base.h that apply to every plugin.
namespace kbase::plugin_check::rules {

inline constexpr Rule kStructsGrow{"rule 2 of the headers"};
inline constexpr Rule kLoans{"rule 4 of the headers"};
inline constexpr Rule kNoUnwinding{"rule 5 of the headers"};
inline constexpr Rule kViews{"rule 6 of the headers"};
inline constexpr Rule kProcess{"rule 7 of the headers"};
inline constexpr Rule kStopped{"KB_STOPPED"};
inline constexpr Rule kNoMemory{"KB_NO_MEMORY"};
inline constexpr Rule kExplain{"kb_host.explain"};
inline constexpr Rule kCancelled{"kb_host.cancelled"};
inline constexpr Rule kDeadline{"kb_call.deadline_ns"};
inline constexpr Rule kSchema{"config_schema of every table"};
inline constexpr Rule kCreate{"create of every table"};
inline constexpr Rule kDestroy{"destroy of every table"};
inline constexpr Rule kHealth{"health of every table"};
inline constexpr Rule kThreads{"every table"};
inline constexpr Rule kDescriptor{"kb_plugin"};
inline constexpr Rule kGetPort{"kb_plugin.get_port"};
inline constexpr Rule kEntry{"kb_plugin_entry"};
inline constexpr Rule kNote{"KB_NOTE"};

}  // namespace kbase::plugin_check::rules
