#!/usr/bin/env bash
# ./demo --auto goes through: what it shows really happens.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
folder=$(mktemp -d /tmp/capsule-test-XXXXXX)
trap 'rm -rf "$folder"' EXIT
export CAPSULE_BINARY=$1 HOME=$folder/home
mkdir "$HOME"
out=$("$root/tools/demo-auto" "$folder/greeter" 2>&1) || { echo "$out" && exit 1; }
for words in 'planning: no signal, iteration 1/20' 'checks: failed' 'security   NEEDS_FIX, 1 issue' \
  '[9/9] reflect … ✓' 'complete, merged as' 'all tests pass' 'must never evaluate them' \
  'Auto Mode Continuation' 'phase 3 of 9: planning' 'active in phase planning' 'is cancelled'; do
  case $out in
    *"$words"*) ;;
    *) echo "the demo does not say: $words" && echo "$out" && exit 1 ;;
  esac
done
