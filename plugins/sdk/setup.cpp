// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/setup.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "domain/model/units.hpp"

namespace kbase::sdk {
namespace {

using Json = nlohmann::json;

/// A value that is not a setting: null, a list or an object.
struct Unreadable {};

/// A double is a number that is negative or not an integer.
using Value = std::variant<Unreadable, bool, std::uint64_t, double, std::string>;

using Members = std::map<std::string, Value, std::less<>>;

/// Stores the members of the outermost object. A tree of the JSON library would allocate memory in its destructor
/// (nlohmann/json 3.11, basic_json::json_value::destroy), which ends the process if memory is exhausted.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(Members& members) : members_(members) {}

  bool null() override { return keep(Unreadable()); }
  bool boolean(bool value) override { return keep(value); }
  bool number_integer(number_integer_t value) override { return keep(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return keep(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t&) override { return keep(value); }
  bool string(string_t& value) override { return keep(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return depth_ == 0 ? enter() : keep(Unreadable()) && enter(); }
  bool start_array(std::size_t) override { return keep(Unreadable()) && enter(); }
  bool key(string_t& name) override {
    if (depth_ == 1) name_ = std::move(name);
    return true;
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  /// Returns false, which ends the parse, if the settings are a single value instead of an object.
  bool keep(Value value) {
    if (depth_ == 1) members_.insert_or_assign(name_, std::move(value));
    return depth_ > 0;
  }
  bool enter() {
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  Members& members_;
  std::string name_;
  int depth_ = 0;
};

}  // namespace

struct Settings::Values {
  Members members;

  /// Returns null if there is no such member.
  const Value* find(std::string_view name) const {
    const auto found = members.find(name);
    return found == members.end() ? nullptr : &found->second;
  }
};

Result<Settings> Settings::parse(std::string_view json) {
  auto values = std::make_shared<Values>();
  Reader reader(values->members);
  if (!json.empty() && !Json::sax_parse(json, &reader))
    return invalid_argument("config", "the settings are no JSON object");
  return Settings(std::move(values));
}

std::string Settings::text(std::string_view name, std::string_view otherwise) const {
  const Value* value = values_->find(name);
  if (value == nullptr) return std::string(otherwise);
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  throw WrongSetting(name, "must be a text");
}

std::filesystem::path Settings::path(std::string_view name, const std::filesystem::path& otherwise) const {
  return text(name, otherwise.native());
}

bool Settings::flag(std::string_view name, bool otherwise) const {
  const Value* value = values_->find(name);
  if (value == nullptr) return otherwise;
  if (const auto* flag = std::get_if<bool>(value)) return *flag;
  throw WrongSetting(name, "must be true or false");
}

std::uint64_t Settings::number(std::string_view name, std::uint64_t otherwise) const {
  const Value* value = values_->find(name);
  if (value == nullptr) return otherwise;
  if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
  throw WrongSetting(name, "must be a whole number, 0 or more");
}

std::uint64_t Settings::bytes(std::string_view name, std::uint64_t otherwise) const {
  const Value* value = values_->find(name);
  const bool is_number =
      value != nullptr && (std::holds_alternative<std::uint64_t>(*value) || std::holds_alternative<double>(*value));
  if (value == nullptr || is_number) return number(name, otherwise);
  const auto read = model::parse_size(text(name, {}));
  if (!read) throw WrongSetting(name, "must be a size, such as 64MiB");
  return *read;
}

}  // namespace kbase::sdk
