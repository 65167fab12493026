#!/usr/bin/env bash
# generate_test.sh BINARY: the generated man page and completions, read by the programs that they are
# made for.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
binary=$1
PATH=$(dirname "$binary"):$PATH

mkdir "$tmp/work" "$tmp/work/a folder"
cd "$tmp/work"
touch 'output one.txt' other.txt
for kind in man bash zsh fish; do "$binary" generate "$kind" >"$tmp/$kind"; done
mkdir "$tmp/page" && mv "$tmp/man" "$tmp/page/capsule.1" # mandoc compares the name with the page

# The man page.
lint() { (cd "$tmp/page" && mandoc -T lint -W style capsule.1); }
expect 0 "" "mandoc has nothing to say about the man page" lint
[ -z "$(lint 2>&1)" ] || expect 0 "" "mandoc is silent" false
rendered=$(mandoc -T ascii -O width=200 "$tmp/page/capsule.1" | sed 's/.\x08//g')
listed=$("$binary" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { sub(/^  /, ""); sub(/  .*/, ""); print }')
[ -n "$listed" ] || expect 0 "" "the help lists commands" false
while IFS= read -r command; do
  names() { grep -qF -- "$1" <<<"$rendered" || { echo "not in the man page: $1" && return 1; }; }
  expect 0 "" "the man page names 'capsule $command'" names "capsule $command"
  # shellcheck disable=SC2086 # a command may be two words
  while IFS= read -r option; do
    expect 0 "" "the man page names $option of 'capsule $command'" names "$option"
  done < <("$binary" $command --help | grep -oE '^  --[a-z-]+(=[A-Z]+)?' | tr -d ' ')
done <<<"$listed"

# bash: the words before the cursor as readline would part them.
in_bash() {
  bash --norc -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _capsule 2>&1
    printf "%s|" "${COMPREPLY[@]}"' "$tmp/bash" "$@"
}
# fish is asked for its answers as it would show them: word, tab, help.
in_fish() { fish --no-config -c "source $tmp/fish; complete -C '$1'" | cut -f 1 | sort | tr '\n' '|'; }

expect 0 "" "bash reads its completion" bash -n "$tmp/bash"
expect 0 "parse-signal|" "bash offers commands" in_bash capsule par
expect 0 "signal|" "bash offers groups" in_bash capsule sig
expect 0 "parse|list|format|" "bash offers the commands of a group" in_bash capsule signal ''
expect 0 "parse|" "bash offers those that fit" in_bash capsule signal pa
expect 0 "--dialect=|" "bash offers options" in_bash capsule signal parse --di
expect 0 "contract|line|block|" "bash offers choices after =" in_bash capsule signal parse --dialect =
expect 0 "line|" "bash offers choices that fit" in_bash capsule signal parse --dialect = li
expect 0 "line|" "bash offers choices after a blank" in_bash capsule signal parse --dialect li
expect 0 "--dialect=line|" "bash offers choices where = is no break" in_bash capsule signal parse --dialect=li
expect 0 "output one.txt|" "bash offers files with blanks" in_bash capsule signal parse --dialect = line out
expect 0 "|" "bash offers no files where none fit" in_bash capsule signal parse --task = o
expect 0 "signal|" "bash completes help" in_bash capsule help sig

expect 0 "" "zsh reads its completion" zsh -n "$tmp/zsh"
expect 0 "" "fish reads its completion" fish --no-execute "$tmp/fish"
expect 0 "parse-signal|" "fish offers commands" in_fish "capsule par"
expect 0 "format|list|parse|" "fish offers the commands of a group" in_fish "capsule signal "
expect 0 "--dialect|" "fish offers options" in_fish "capsule signal parse --dia"
expect 0 "--dialect=block|--dialect=contract|--dialect=line|" "fish offers choices" in_fish "capsule signal parse --dialect="
expect 0 "other.txt|" "fish offers files" in_fish "capsule signal parse --dialect=line oth"

finish
