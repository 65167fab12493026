# A few words for tests that are shell scripts. Source it; end with `finish`.
# shellcheck shell=bash
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export source_dir
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0
failures=0

# expect CODE TEXT SENTENCE COMMAND…: the command ends with CODE and its output contains TEXT.
expect() {
  local want=$1 text=$2 sentence=$3 got=0 output
  shift 3
  output=$("$@" 2>&1) || got=$?
  checks=$((checks + 1))
  if [ "$got" -eq "$want" ] && [[ $output == *"$text"* ]]; then return; fi
  failures=$((failures + 1))
  printf 'NOT TRUE: %s\n  exit code %s, expected %s; expected text: %s\n  output: %s\n' \
    "$sentence" "$got" "$want" "$text" "$output"
}

finish() {
  if [ "$checks" -eq 0 ]; then echo "no check was made" && exit 1; fi
  echo "$((checks - failures)) of $checks checks hold"
  [ "$failures" -eq 0 ]
}
