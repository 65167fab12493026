#!/usr/bin/env bash
# ./demo --web goes through: the page is opened, shows the question of the delivery that plays, and ends without it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
folder=$(mktemp -d /tmp/capsule-test-XXXXXX)
demo=
finish() {
  if [ -n "$demo" ]; then kill "$demo" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap finish EXIT
mkdir "$folder/home" "$folder/bin"
export HOME=$folder/home CAPSULE_BINARY=$1 DEMO_PACE=0.2
# Stands for the browser.
cat >"$folder/bin/xdg-open" <<SCRIPT
#!/bin/sh
curl -s -o /dev/null -c '$folder/jar' "\$1"
echo "\${1%%/\?*}" >'$folder/origin.new' && mv '$folder/origin.new' '$folder/origin'
SCRIPT
chmod +x "$folder/bin/xdg-open"
PATH=$folder/bin:$PATH "$root/tools/demo-face" web "$folder/calculator" >"$folder/said" 2>&1 </dev/null &
demo=$!
# holds SENTENCE COMMAND…: waits until the command succeeds, however busy the machine is.
holds() {
  local i sentence=$1
  shift
  for ((i = 0; i < 1200; i++)); do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "NOT TRUE: $sentence"
  cat "$folder/said"
  exit 1
}
view() { curl -s -b "$folder/jar" "$(cat "$folder/origin")/api/v1/view"; }
asks() { view | grep -q 'What shall div do when B is 0?'; }
holds 'the page is opened' test -s "$folder/origin"
holds 'the question is on the page' asks
kill "$(pgrep -P "$demo")"
wait "$demo" || true
demo=
holds 'it says how to go on' grep -q 'The delivery goes on without a face' "$folder/said"
cd "$folder/calculator"
"$CAPSULE_BINARY" answer 1 'Print "division by zero" on stderr and return 1.'
"$CAPSULE_BINARY" attach PLAN.md >"$folder/said" 2>&1 || { cat "$folder/said" && exit 1; }
sh tests/run.sh
