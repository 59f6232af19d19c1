// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kbase::tests {

/// A parsed response. Field names are in lower case. Values of a repeated field are joined by "; twice: ", so that no
/// test mistakes it for a single field.
struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> fields;
  std::string body;

  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "(absent)" : found->second;
  }
  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string error_code() const { return json().at("error").at("code"); }
};

/// Parses the head of a response; `head` ends with the empty line.
inline HttpAnswer parse_head(std::string_view head) {
  HttpAnswer answer;
  answer.status = std::stoi(std::string(head.substr(9, 3)));
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.starts_with("\r\n")) {
    const std::size_t colon = head.find(": ");
    const std::size_t end = head.find("\r\n");
    std::string name(head.substr(0, colon));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string value(head.substr(colon + 2, end - colon - 2));
    const auto [field, is_new] = answer.fields.emplace(name, value);
    if (!is_new) field->second += "; twice: " + value;
    head.remove_prefix(end + 2);
  }
  return answer;
}

}  // namespace kbase::tests
