// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driving/access.hpp"
#include "ports/driving/accounts.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/content_writing.hpp"
#include "ports/driving/external_services.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockSearch : public trompeloeil::mock_interface<ports::Search> {
 public:
  IMPLEMENT_MOCK2(validator);
  IMPLEMENT_MOCK3(search);
  IMPLEMENT_MOCK4(suggest);
};

class MockCatalog : public trompeloeil::mock_interface<ports::Catalog> {
 public:
  IMPLEMENT_MOCK1(content_validator);
  IMPLEMENT_MOCK1(views_validator);
  IMPLEMENT_MOCK1(related_validator);
  IMPLEMENT_CONST_MOCK0(store_id);
  IMPLEMENT_MOCK3(item);
  IMPLEMENT_MOCK1(count_view);
  IMPLEMENT_MOCK4(related);
  IMPLEMENT_MOCK3(categories);
  IMPLEMENT_MOCK3(category);
  IMPLEMENT_MOCK5(category_items);
  IMPLEMENT_MOCK3(all_items);
  IMPLEMENT_MOCK3(recent);
  IMPLEMENT_MOCK4(popular);
};

class MockStatistics : public trompeloeil::mock_interface<ports::Statistics> {
 public:
  IMPLEMENT_MOCK1(validator);
  IMPLEMENT_MOCK1(report);
};

class MockHealth : public trompeloeil::mock_interface<ports::Health> {
 public:
  IMPLEMENT_CONST_MOCK0(report);
};

class MockAccess : public trompeloeil::mock_interface<ports::Access> {
 public:
  IMPLEMENT_MOCK3(admit);
  IMPLEMENT_CONST_MOCK1(admission_without_charge);
  IMPLEMENT_CONST_MOCK1(is_inline);
};

class MockContentWriting : public trompeloeil::mock_interface<ports::ContentWriting> {
 public:
  IMPLEMENT_MOCK4(put_item);
  IMPLEMENT_MOCK3(remove_item);
  IMPLEMENT_MOCK3(import);
};

class MockAccounts : public trompeloeil::mock_interface<ports::Accounts> {
 public:
  IMPLEMENT_MOCK3(sign_up);
  IMPLEMENT_MOCK3(sign_in);
  IMPLEMENT_MOCK2(confirm);
  IMPLEMENT_MOCK2(report);
  IMPLEMENT_MOCK3(create_key);
  IMPLEMENT_MOCK3(rotate_key);
  IMPLEMENT_MOCK3(remove_key);
  IMPLEMENT_MOCK2(end_session);
  IMPLEMENT_MOCK2(end_sessions);
  IMPLEMENT_MOCK2(remove_account);
};

class MockCodeHostUsers : public trompeloeil::mock_interface<ports::CodeHostUsers> {
 public:
  IMPLEMENT_MOCK1(find_cached);
  IMPLEMENT_MOCK3(look_up);
};

class MockCompletions : public trompeloeil::mock_interface<ports::Completions> {
 public:
  IMPLEMENT_MOCK4(complete);
};

}  // namespace kbase::tests
