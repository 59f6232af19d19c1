// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::sqlite {

/// Action of an open on a missing file or a file of an older version: create or migrate it, or fail.
enum class IfMissing { Create, Fail };

}  // namespace kbase::sqlite
