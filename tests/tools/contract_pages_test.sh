#!/usr/bin/env bash
# Every test that docs/guarantees.md or a page of docs/contracts names exists, and every page names some.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root"

# "Suite.Name" of every TEST, TEST_F and TEST_P in the sources, macros broken over lines joined.
known=$(find src tests -name '*_test.cpp' -exec cat {} + | tr '\n' ' ' |
  grep -oE '\bTEST(_F|_P)?\( *[A-Za-z0-9_]+, *[A-Za-z0-9_]+\)' |
  sed -E 's/.*\( *([A-Za-z0-9_]+), *([A-Za-z0-9_]+)\)/\1.\2/' | sort -u)

# The rows of the red team's tables are tests, too.
known=$( (
  printf '%s\n' "$known"
  grep -ohE '\.name = "[A-Za-z0-9]+"' tests/redteam/*.cpp | sed -E 's/.*"(.*)"/RedTeam.\1/'
) | sort -u)

code=0
for page in docs/contracts/*.md docs/guarantees.md; do
  # shellcheck disable=SC2016 # backquotes of Markdown, not of the shell
  named=$(grep -oE '`[A-Z][A-Za-z0-9]*\.[A-Z][A-Za-z0-9]+`' "$page" | tr -d '`' | sort -u || true)
  if [ -z "$named" ]; then
    echo "$page names no test" && code=1
  fi
  while read -r absent; do
    if [ -n "$absent" ]; then echo "$page names $absent, which does not exist" && code=1; fi
  done < <(comm -23 <(printf '%s\n' "$named") <(printf '%s\n' "$known"))
done
exit "$code"
