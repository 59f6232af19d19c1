// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::sqlite {

/// What opening a file does where there is none, or one of an older version, which is made the newest.
enum class IfMissing { Create, Fail };

}  // namespace kbase::sqlite
