#!/usr/bin/env bash
# The dashboard as people have it: the whole program in tmux. $1: the built binary.
set -euo pipefail
# shellcheck source=tests/tools/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
capsule=$1
# shellcheck source=tests/tools/scene.sh
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"

# A project whose agent asks first, and waits for a file before it goes on.
project=$tmp/calculator
cp -r "$source_dir/templates/demo-delivery/project" "$project"
commit_all "$project"
cat >"$tmp/agent" <<SCRIPT
#!/bin/sh
while [ ! -e "$tmp/go" ]; do sleep 0.05; done
exec "$source_dir/templates/demo-delivery/agent" "\$@"
SCRIPT
chmod +x "$tmp/agent"
configure_agent "$project" "$tmp/agent" <<<'verify: {test: sh tests/run.sh}'

terminal new-session -d -s main -x 120 -y 36 -c "$project" "PS1='prompt> ' sh"
until_shown 'prompt>' 'a shell is there'

# In a pipe, or on a terminal that cannot do it, there is help instead.
expect 2 'needs a terminal' 'the dashboard is refused in a pipe' "$capsule" ui --project-dir="$project"
keys "TERM=dumb '$capsule' ui" Enter
until_shown 'cannot move its cursor' 'TERM=dumb is refused, with a hint'
keys "clear; '$capsule'" Enter
until_shown 'explains one command' 'capsule alone shows help where there is nothing to show'
keys "clear" Enter

# A run that another terminal starts while one looks on.
keys "'$capsule' ui" Enter
until_shown 'No runs yet' 'an empty project says so'
expect 1 '' 'a dashboard that nobody touches is not in use' test -e "$project/.capsule/presence"
keys n
until_shown 'capsule bead init' 'so does one without beads, and how to get some'
expect 0 '' 'one key, and somebody looks: what notifies people knows' test -e "$project/.capsule/presence"
"$capsule" bead init --project-dir="$project" --prefix=calc >/dev/null
"$capsule" bead create --project-dir="$project" --title='Teach it to divide' >/dev/null
until_shown 'Teach it to divide' 'a bead store that is made later is noticed'
"$capsule" bead create --project-dir="$project" --title='Teach it to add' >/dev/null
until_shown 'Teach it to add' 'and what is added to it'
rm -rf "$project/.beads"
until_shown 'capsule bead init' 'and that it is gone'
keys i
(cd "$project" && exec "$capsule" deliver "$source_dir/templates/demo-delivery/PLAN.md" --wait --json) \
  >"$tmp/deliver.log" 2>&1 </dev/null &
run_pid=$!
until_shown 'A calculator for shells' 'the first run of a project comes by itself'
keys q
until_shown 'prompt>' 'q leaves'
keys "'$capsule'; echo left \$?" Enter
until_shown 'Needs you' 'capsule alone shows the dashboard'
until_shown 'A calculator for shells' 'a run that another terminal started is shown'
touch "$tmp/go"
until_shown 'What shall div do when B is 0?' 'a question comes by itself'
keys a
until_shown 'enter sends it' 'a opens the question'
keys -l 'Print an error'
keys Enter
until_shown 'Question 1 is answered' 'the answer reaches the run'
keys b
until_shown 'Evidence' 'b opens the board'
until_shown 'complete' 'tasks are completed while one looks on'
terminal resize-window -t main -x 62 -y 18
until_shown 'Tasks' 'a smaller terminal has a pane'
terminal resize-window -t main -x 40 -y 10
until_shown 'needs 60×16' 'one that is too small is told so'
terminal resize-window -t main -x 120 -y 36
until_shown 'Evidence' 'and it comes back'

# Suspended and resumed.
keys C-z
until_shown 'prompt>' 'Ctrl-Z gives the terminal to the shell'
expect 0 '0' 'suspended, it is not on its other screen' terminal display -t main -p '#{alternate_on}'
keys 'fg' Enter
until_shown 'Evidence' 'fg brings it back'

# Killed.
dashboard=$(pgrep -P "$(terminal display -t main -p '#{pane_pid}')")
kill -9 "$dashboard"
until_shown 'prompt>' 'after kill -9 the shell is there'
for ((i = 0; i < 100; i++)); do
  [ "$(terminal display -t main -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" != '0 1 0' ] || break
  sleep 0.1
done
expect 0 '0 1 0' 'screen, cursor and mouse are as they were' \
  terminal display -t main -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}'
keys "clear; stty -a | tr ' ' '\\n' | grep -x -e '-*echo;*' -e '-*icanon;*' -e '-*isig;*' | tr '\\n' ' '; echo modes" Enter
until_shown 'isig icanon echo modes' 'and so are the modes of the terminal'

# Leaving ends nothing.
keys "clear; '$capsule' ui; echo left \$?" Enter
until_shown 'Needs you' 'it starts again'
keys q
until_shown 'left 0' 'q leaves'
checks=$((checks + 1))
if ! kill -0 "$run_pid" 2>/dev/null && ! grep -q '"delivery_ended"' "$tmp/deliver.log"; then
  failures=$((failures + 1))
  echo 'NOT TRUE: the delivery goes on'
fi
finish
