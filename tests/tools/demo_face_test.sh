#!/usr/bin/env bash
# ./demo --ui goes through: the delivery plays in the dashboard, its question is answered there, and it ends.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
if ! type -P tmux >/dev/null; then echo "left out: tmux is not installed" && exit 0; fi
folder=$(mktemp -d /tmp/capsule-test-XXXXXX)
export TMUX_TMPDIR=$folder
tmux=(tmux -f /dev/null -L demo)
trap '"${tmux[@]}" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder/home"
screen() { "${tmux[@]}" capture-pane -p -t demo 2>/dev/null; }
# sees WORDS: waits until the screen shows them.
sees() {
  local i
  for ((i = 0; i < 1200; i++)); do
    case $(screen) in *"$1"*) return ;; esac
    sleep 0.1
  done
  echo "the screen does not show: $1"
  screen
  exit 1
}
"${tmux[@]}" new-session -d -s demo -x 120 -y 34 -e "HOME=$folder/home" -e LC_ALL=C.UTF-8 -e "CAPSULE_BINARY=$1" \
  -e DEMO_PACE=0.2 "'$root/tools/demo-face' ui '$folder/calculator'; echo left with \$?; exec sleep 600"
sees 'What shall div do when B is 0?'
sees 'Needs you (1)'
"${tmux[@]}" send-keys -t demo a
sees 'answer'
"${tmux[@]}" send-keys -t demo -l 'Refuse it, in words of your own.'
sees 'in words of your own.'
"${tmux[@]}" send-keys -t demo Enter
sees 'Nothing needs you'
sees '8/8'
"${tmux[@]}" send-keys -t demo q
sees 'left with 0'
cd "$folder/calculator"
sh tests/run.sh
