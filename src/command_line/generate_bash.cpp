#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::command_line {
namespace {

// The part that is the same for every table. _capsule_rows, which follows it, sets for the words
// before the cursor: `options`, `places` (what each argument takes), `value` (what the option
// before the cursor takes), `names` (subcommands), `depth` (how many words the command has).
constexpr std::string_view kBashEngine = R"bash(# bash completion for capsule
# Made by 'capsule generate bash' from the command table; do not edit.

_capsule() {
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before='' prefix=''
  local options='' value='' names='' depth=0 place=0 i word offer
  local -a places=()
  COMPREPLY=()

  # Where = parts words, --name=value arrives as three of them.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $cur == --*=* ]]; then
    option=${cur%%=*}
    prefix=$option=
    cur=${cur#*=}
  fi

  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do before+=" $word"; done
  _capsule_rows

  if [[ -n $value ]]; then
    offer=$value
  elif [[ -n $names ]]; then
    offer="words $names"
  elif [[ $cur == -* ]]; then
    offer="words $options"
  else
    for ((i = depth + 1; i < COMP_CWORD; i++)); do
      word=${COMP_WORDS[i]}
      if [[ $word == '=' ]]; then
        i=$((i + 1))
      elif [[ $word == -* ]]; then
        if [[ " $options " == *" $word= "* && ${COMP_WORDS[i + 1]} != '=' ]]; then i=$((i + 1)); fi
      else
        place=$((place + 1))
      fi
    done
    offer=${places[place]-nothing}
  fi

  case $offer in
    words\ *) mapfile -t COMPREPLY < <(compgen -W "${offer#words }" -- "$cur") ;;
    files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
  esac
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == --*= ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ -n $prefix ]]; then COMPREPLY=("${COMPREPLY[@]/#/$prefix}"); fi
}

)bash";

std::string offer_words(std::string_view name, std::string_view choices) {
  switch (offer_for(name, choices)) {
    case Offer::words:
      return "'words " + replace_all(choices, "|", " ") + "'";
    case Offer::files:
      return "files";
    case Offer::folders:
      return "folders";
    case Offer::nothing:
      break;
  }
  return "nothing";
}

void command_row(std::string& out, const Row& row) {
  const auto& [path, shown, words] = row;
  const Command& command = *shown;
  out += "    ' " + std::string(path) + " '*)\n";
  out += "      depth=" + std::to_string(split(path, ' ').size()) + " options='";
  for (const Option& option : command.options)
    if (!option.hidden)
      out += "--" + std::string(option.name) + (option.value.empty() ? " " : "= ");
  out += "--help'\n";
  if (!command.positionals.empty()) {
    out += "      places=(";
    for (const Positional& positional : command.positionals)
      out += (out.back() == '(' ? "" : " ") + offer_words(positional.name, positional.choices);
    out += ")\n";
  } else if (!words.empty()) {
    out += "      places=('words " + replace_all(words, "|", " ") + "')\n";
  }
  std::string values;
  for (const Option& option : command.options)
    if (!option.value.empty() && !option.hidden)
      values += "        --" + std::string(option.name) +
                ") value=" + offer_words(option.value, option.choices) + " ;;\n";
  if (!values.empty()) out += "      case $option in\n" + values + "      esac\n";
  out += "      ;;\n";
}

}  // namespace

std::string bash_completion(Table table) {
  std::string out(kBashEngine);
  out += "_capsule_rows() {\n  case \"$before \" in\n";
  for (const Row& row : completion_rows(table)) command_row(out, row);
  const std::vector<Subcommand> words = subcommands(table);
  std::string outer;
  for (const Subcommand& one : words)
    if (one.group.empty()) outer += one.word + " ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].group.empty() || (i > 0 && words[i].group == words[i - 1].group)) continue;
    out += "    ' " + words[i].group + " ') names='";
    for (const Subcommand& one : words)
      if (one.group == words[i].group) out += one.word + " ";
    out += "--help' ;;\n";
  }
  out += "    ' help ' | ' ') names='" + outer + "--help --version' ;;\n";
  out += "  esac\n}\n\ncomplete -F _capsule capsule\n";
  return out;
}

}  // namespace capsule::command_line
