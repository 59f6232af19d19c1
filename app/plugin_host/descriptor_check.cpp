// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/descriptor_check.hpp"

#include <kbase/base.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::plugin_host {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789";

/// Parses one licence expression from left to right; each function returns whether the text is valid.
class LicenceReader {
 public:
  explicit LicenceReader(std::string_view text) : text_(text) {}

  bool reads_all() { return reads_expression(kMaxDepth) && next_word().empty(); }

 private:
  static constexpr int kMaxDepth = 16;

  bool reads_expression(int depth) {
    if (!reads_term(depth)) return false;
    while (takes("AND") || takes("OR"))
      if (!reads_term(depth)) return false;
    return true;
  }

  bool reads_term(int depth) {
    if (takes("(")) return depth > 0 && reads_expression(depth - 1) && takes(")");
    return reads_name() && (!takes("WITH") || reads_name());
  }

  bool reads_name() {
    const std::string_view word = next_word();
    const bool is_operator = word == "AND" || word == "OR" || word == "WITH";
    const std::string_view name = word.ends_with('+') ? word.substr(0, word.size() - 1) : word;
    if (name.empty() || is_operator || !std::all_of(name.begin(), name.end(), is_of_a_name)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  /// The colon occurs in DocumentRef-x:LicenseRef-y.
  static bool is_of_a_name(char byte) {
    return ascii::is_alphanumeric(byte) || byte == '-' || byte == '.' || byte == ':';
  }

  bool takes(std::string_view wanted) {
    if (next_word() != wanted) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }

  /// Returns the next parenthesis, or the text before the next space or parenthesis; empty: the end.
  std::string_view next_word() {
    text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
    if (text_.starts_with('(') || text_.starts_with(')')) return text_.substr(0, 1);
    return text_.substr(0, text_.find_first_of(" ()"));
  }

  std::string_view text_;
};

/// Checks one text of the descriptor; the error message names it.
Status check_text(const char* name, const char* text) {
  if (text == nullptr || *text == '\0')
    return refusal(std::string("has no ") + name + " in its descriptor; fill in kb_plugin." + name);
  if (!utf8::is_valid(text) || utf8::has_control(text))
    return refusal(std::string("has a ") + name + " that is not a line of UTF-8 text; correct kb_plugin." + name);
  return {};
}

Status check_texts(const kb_plugin& descriptor) {
  const std::pair<const char*, const char*> texts[] = {{"id", descriptor.id},
                                                       {"version", descriptor.version},
                                                       {"vendor", descriptor.vendor},
                                                       {"license", descriptor.license}};
  for (const auto& [name, text] : texts) KBASE_TRY(check_text(name, text));
  if (!is_reverse_domain(descriptor.id))
    return refusal("calls itself '" + std::string(descriptor.id) +
                   "', which is not a reverse domain name; write kb_plugin.id like org.example.jsonlines");
  if (!is_licence_expression(descriptor.license))
    return refusal("has the licence '" + std::string(descriptor.license) +
                   "', which is no SPDX expression; write kb_plugin.license like Apache-2.0 or MIT OR GPL-2.0-only");
  return {};
}

}  // namespace

bool is_licence_expression(std::string_view text) { return LicenceReader(text).reads_all(); }

bool is_reverse_domain(std::string_view text) {
  bool has_dot = false;
  for (std::size_t end = 0; end != std::string_view::npos; has_dot |= end != std::string_view::npos) {
    end = text.find('.');
    const std::string_view part = text.substr(0, end);
    if (part.empty() || kLower.find(part.front()) == std::string_view::npos ||
        part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string_view::npos)
      return false;
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return has_dot;
}

Status check_descriptor(const kb_plugin* descriptor) {
  if (descriptor == nullptr)
    return refusal("gave no descriptor; return the address of a static kb_plugin from kb_plugin_entry");
  if (!KB_HAS(descriptor, get_port))
    return refusal("has a descriptor of " + std::to_string(descriptor->struct_size) + " bytes, where one has " +
                   std::to_string(sizeof(kb_plugin)) + "; set kb_plugin.struct_size to sizeof(kb_plugin)");
  if (descriptor->abi_major == 0)
    return refusal("has no abi_major in its descriptor; fill in kb_plugin.abi_major with KB_ABI_MAJOR");
  const AbiNote described{descriptor->abi_major, descriptor->abi_minor, 0};
  KBASE_TRY(check_abi(described, own_abi()));
  KBASE_TRY(check_texts(*descriptor));
  if (descriptor->get_port == nullptr) return refusal("has no get_port in its descriptor; fill in kb_plugin.get_port");
  return {};
}

Status check_table(const KnownPort& port, const void* table) {
  const std::string of_port = " table of " + std::string(port.id);
  std::uint32_t struct_size = 0;
  std::memcpy(&struct_size, table, sizeof(struct_size));
  if (struct_size < port.smallest_size())
    return refusal("has a" + of_port + " of " + std::to_string(struct_size) + " bytes, where the smallest has " +
                   std::to_string(port.smallest_size()) + "; set struct_size to the sizeof of the port's table");
  for (std::size_t i = 0; i < port.mandatory; ++i)
    if (port.functions[i] != port.may_be_null && !has_function(table, i))
      return refusal("has no '" + std::string(port.functions[i]) + "' in its" + of_port + "; fill in the function");
  const TableStart start = start_of(table);
  if ((start.flags & ~KB_TABLE_SERIAL) != 0)
    return refusal("has flags in its" + of_port + " that this server does not know; install a newer kbase");
  if ((start.flags & KB_TABLE_SERIAL) != 0 && start.inline_calls != 0)
    return refusal(
        "says in its" + of_port +
        " that calls are serial and may run inline too; set inline_calls to 0, or leave out KB_TABLE_SERIAL");
  return {};
}

std::string to_valid_utf8(kb_view view, std::size_t max_bytes) {
  std::string text;
  if (view.data == nullptr) return text;
  std::string_view rest(view.data, std::min(view.size, max_bytes));
  while (!rest.empty()) {
    const std::size_t length = utf8::sequence_length(rest);
    const std::string_view next = length > 0 ? rest.substr(0, length) : "\uFFFD";
    if (text.size() + next.size() > max_bytes) break;
    text += next;
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

AbiVersion own_abi() { return {KB_ABI_MAJOR, KB_ABI_MINOR}; }

std::string text_of(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

Status check_abi(const AbiNote& plugin, AbiVersion server) {
  const std::string speaks = ", this server speaks " + text_of(server.major, server.minor);
  if (plugin.major != server.major)
    return refusal("was built for plugin ABI " + text_of(plugin.major, plugin.minor) + speaks + "; rebuild it with a " +
                   std::to_string(server.major) + ".x SDK");
  if (plugin.needs_minor > server.minor)
    return refusal("needs plugin ABI " + text_of(plugin.major, plugin.needs_minor) + " or newer" + speaks +
                   "; install a newer kbase, or a version of the plugin for this one");
  return {};
}

}  // namespace kbase::plugin_host
