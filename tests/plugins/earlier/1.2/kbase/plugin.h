/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/plugin.h: everything that a plugin can offer and use. kbase/base.h has the rules. */
#ifndef KBASE_PLUGIN_H
#define KBASE_PLUGIN_H

#include "kbase/account_store.h"
#include "kbase/activity_store.h"
#include "kbase/base.h"
#include "kbase/cache.h"
#include "kbase/code_host.h"
#include "kbase/http_client.h"
#include "kbase/insight_store.h"
#include "kbase/item_store.h"
#include "kbase/key_store.h"
#include "kbase/language_model.h"
#include "kbase/mailer.h"
#include "kbase/rate_limit_store.h"
#include "kbase/search_index.h"

#endif
