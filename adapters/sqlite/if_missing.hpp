// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::sqlite {

/// What opening a file does where there is none.
enum class IfMissing { Create, Fail };

}  // namespace kbase::sqlite
