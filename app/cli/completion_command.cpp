// SPDX-License-Identifier: Apache-2.0
// `kbase completion SHELL`: a script by which a shell completes the commands and options of kbase.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"

namespace kbase::cli {
namespace {

using NextWords = std::map<std::string, std::vector<std::string>>;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

/// Returns a script for bash, which zsh reads too after bashcompinit. The command is the words before the first option.
std::string bash_script(const NextWords& next) {
  std::string script =
      "_kbase() {\n"
      "  local word command= words=\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in -*) break ;; esac\n"
      "    command=\"${command:+$command }$word\"\n"
      "  done\n"
      "  case $command in\n";
  // The shell takes the first pattern that matches. Therefore "keys create" is before "keys".
  for (auto each = next.rbegin(); each != next.rend(); ++each)
    script +=
        "    '" + each->first + (each->first.empty() ? "'" : "'*") + ") words='" + joined(each->second) + "' ;;\n";
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _kbase kbase\n";
}

std::string fish_script(const NextWords& next) {
  std::string script =
      "function __kbase_command\n"
      "  string join ' ' (string match -rv '^-' (commandline -opc)[2..])\n"
      "end\n";
  for (const auto& [command, words] : next)
    script += "complete -c kbase -n 'test (__kbase_command) = \"" + command + "\"' -a '" + joined(words) + "'\n";
  return script;
}

}  // namespace

void add_completion(Command root) {
  const auto shell = std::make_shared<std::string>();
  Command command = root.command("completion", "print a script that completes commands and options in a shell");
  command
      .choice(
          "SHELL", {"bash", "zsh", "fish"}, [shell](const std::string& word) { *shell = word; },
          "the shell, for example: source <(kbase completion bash)")
      .required();
  command.set_action([root, shell] {
    const NextWords next = root.next_words();
    if (*shell == "zsh") std::fputs("autoload -U +X bashcompinit && bashcompinit\n", stdout);
    std::fputs((*shell == "fish" ? fish_script(next) : bash_script(next)).c_str(), stdout);
    return kSuccess;
  });
}

}  // namespace kbase::cli
