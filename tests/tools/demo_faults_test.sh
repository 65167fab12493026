#!/usr/bin/env bash
# ./demo --faults goes through: what it shows really happens.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
folder=$(mktemp -d /tmp/capsule-test-XXXXXX)
trap 'rm -rf "$folder"' EXIT
export CAPSULE_BINARY=$1 HOME=$folder/home
mkdir "$HOME"
out=$("$root/tools/demo-faults" "$folder/greeter" 2>&1) || { echo "$out" && exit 1; }
for words in 'alpha is parked until' 'taken over by beta, a fallback' 'execute: PASS (attempt 1/3)' \
  'beta is parked until' 'beta is free again' 'execute-review: PASS (attempt 1/3)' \
  'spent; nothing new starts' 'question 1001: The budget of this run (budget.run) is spent' \
  '? waits for a larger budget' 'Question 1001 is answered' 'merged into main as' 'Capsule-Model: beta-1'; do
  case $out in
    *"$words"*) ;;
    *) echo "the demo does not say: $words" && echo "$out" && exit 1 ;;
  esac
done
case $out in
  *'attempt 2'*) echo "an attempt was spent" && echo "$out" && exit 1 ;;
esac
[ "$(cd "$folder/greeter" && sh greet.sh)" = "Hello, world" ]
