// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What the pages of the API reference show, read from the API's description. All descriptions are Markdown.
namespace kbase::pages {

/// A parameter of a request, or a member of a body.
struct ReferenceField {
  std::string name, type, description;
  std::string facts;      ///< its default and its bounds; empty: none
  std::string example;    ///< of a parameter; empty: none
  std::string place;      ///< of a parameter: "path", "query" or "header"
  std::size_t depth = 0;  ///< of a member: the number of objects around its object
  bool is_required = false;
};

struct ReferenceExample {
  std::string summary, text;
};

struct ReferenceResponse {
  std::string status, description;
  std::vector<ReferenceField> members;
  std::vector<ReferenceExample> examples;
};

struct ReferenceOperation {
  std::string name;  ///< part of its address: "search-items"
  std::string group, method, path, summary, description;
  std::string scope;           ///< that a key needs; empty: none
  bool needs_key = false;      ///< a request without a key is refused
  bool needs_session = false;  ///< it is for a browser that is signed in
  std::vector<ReferenceField> parameters;
  std::vector<ReferenceField> body;  ///< members of the body, if it is JSON
  std::string body_type;             ///< media type
  std::string body_example;          ///< empty: the request has no body
  std::vector<ReferenceResponse> responses, errors;
};

struct ReferenceGroup {
  std::string name, description;
};

struct ApiReference {
  std::string summary, description;
  std::string key;  ///< how a request has a key
  std::vector<ReferenceGroup> groups;
  std::vector<ReferenceOperation> operations;

  /// Null: no operation has the name.
  const ReferenceOperation* find(std::string_view name) const;
};

/// `description`: an OpenAPI 3.1 document in JSON. What it lacks, the reference lacks.
ApiReference read_api_reference(std::string_view description);

/// Returns the path of a request with the examples of its parameters, those of the query only if they are required.
std::string example_path(const ReferenceOperation& operation);

}  // namespace kbase::pages
