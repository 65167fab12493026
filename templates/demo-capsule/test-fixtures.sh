#!/usr/bin/env bash
# Checks that this template is what the pipeline expects: all files present, four beads in one
# hierarchy, the two functions missing on purpose, and a source tree that builds. Works from any
# directory; changes nothing. Exit 0 when all checks hold, 1 otherwise, 2 when a tool is missing.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
issues=$here/issues.jsonl
passed=0
failed=0

for tool in jq go; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "test-fixtures: $tool is needed and not installed" >&2
    exit 2
  fi
done

# check NAME COMMAND...: runs the command and counts how it ended.
check() {
  local name=$1
  shift
  if "$@" >/dev/null 2>&1; then
    passed=$((passed + 1))
    echo "ok    $name"
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
  fi
}

# bead ID FILTER: the jq filter holds for the bead with this id, which exists exactly once.
bead() {
  jq --exit-status --slurp --arg id "$1" "map(select(.id == \$id)) | length == 1 and (.[0] | $2)" "$issues"
}

child_of() {
  bead "$1" "[.dependencies[] | select(.type == \"parent-child\")]
    == [.dependencies[0]] and .dependencies[0].issue_id == \"$1\" and .dependencies[0].depends_on_id == \"$2\""
}

lacks() {
  ! grep -rqE "func +$1\b" "$here/src"
}

in_source() {
  (cd -- "$here/src" && GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$@")
}

formatted() {
  test -z "$("$(go env GOROOT)/bin/gofmt" -l "$here/src")"
}

for file in src/go.mod src/main.go CLAUDE.md README.md issues.jsonl; do
  check "$file is there and not empty" test -s "$here/$file"
done

check "go.mod names the module" grep -qx 'module example.com/demo-capsule' "$here/src/go.mod"
check "main.go defines Contact" grep -q '^type Contact struct' "$here/src/main.go"

check "every line of issues.jsonl is a JSON object" \
  jq --exit-status --raw-input --slurp 'rtrimstr("\n") | split("\n") | all(fromjson | type == "object")' "$issues"
check "there are four beads" jq --exit-status --slurp 'length == 4' "$issues"
check "demo-1 is the epic" \
  bead demo-1 '.issue_type == "epic" and .title == "Demo Capsule Feature Set" and (.dependencies // []) == []'
check "demo-1.1 is the feature" bead demo-1.1 '.issue_type == "feature" and .title == "Add input validation"'
check "demo-1.1.1 is a task" bead demo-1.1.1 '.issue_type == "task" and .title == "Validate email format"'
check "demo-1.1.2 is a task" bead demo-1.1.2 '.issue_type == "task" and .title == "Validate phone format"'
check "demo-1.1 belongs to demo-1" child_of demo-1.1 demo-1
for task in demo-1.1.1 demo-1.1.2; do
  check "$task belongs to demo-1.1" child_of "$task" demo-1.1
  check "$task is open, described and has acceptance criteria" \
    bead "$task" '.status == "open" and (.description | length > 0) and (.acceptance_criteria | length > 0)'
done

check "ValidateEmail is missing, on purpose" lacks ValidateEmail
check "ValidatePhone is missing, on purpose" lacks ValidatePhone
check "the source is formatted" formatted
check "the source passes go vet" in_source go vet ./...
check "the source builds" in_source go build -o /dev/null ./...
check "the tests, if any, pass" in_source go test ./...

echo "$passed passed, $failed failed"
test "$failed" -eq 0
