#!/usr/bin/env bash
# An epic is run from the dashboard's tree of beads, and followed there; the command line, a shell and an editor beside it: the
# whole program in tmux. $1: the built binary.
set -euo pipefail
# shellcheck source=tests/tools/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
capsule=$1
# shellcheck source=tests/tools/scene.sh
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"

# A project with an epic of two features, and an agent that waits as long as a file says so.
project=$tmp/shop
hold=$tmp/hold
mkdir "$project" "$hold"
cd "$project"
echo '.capsule/' >.gitignore
commit_all .
cat >"$tmp/agent" <<SCRIPT
#!/bin/sh
cat >/dev/null
echo "\$CAPSULE_ROLE \$CAPSULE_TASK begins"
while [ -e "$hold/\$CAPSULE_ROLE-\$CAPSULE_TASK" ]; do sleep 0.05; done
if [ -e "$hold/gives-up-\$CAPSULE_TASK" ]; then echo 'I give up'; exit 1; fi
case \$CAPSULE_ROLE in
  developer)
    echo done >"\$CAPSULE_TASK.txt"
    printf 'READY_FOR_REVIEW: %s\n\nFiles Modified:\n- %s.txt\n\nVerification Results (self-verified):\n- tests: PASS (here)\n\nSummary: done\n' "\$CAPSULE_TASK" "\$CAPSULE_TASK" ;;
  critic) printf 'REVIEW_PASSED: %s\n\nQuality Assessment:\n- Code style: COMPLIANT\n\nSummary: clear\n' "\$CAPSULE_TASK" ;;
  auditor) printf 'AUDIT_PASSED: %s\n\nVerification Results:\n- all criteria: VERIFIED - looked\n\nSummary: done\n' "\$CAPSULE_TASK" ;;
esac
SCRIPT
cat >"$tmp/editor" <<SCRIPT
#!/bin/sh
printf 'editor in %s with %s\n' "\$PWD" "\$*"
read -r line
SCRIPT
chmod +x "$tmp/agent" "$tmp/editor"
configure_agent . "$tmp/agent" </dev/null
bead() {
  # shellcheck disable=SC2016 # that is Markdown
  "$capsule" bead create --description='Write `thing.txt`.' --acceptance='- `ls` shows `thing.txt`' "$@" >/dev/null
}
"$capsule" bead init --prefix=shop >/dev/null
bead --title='A shop' --type=epic
bead --title='The basket' --type=feature --parent=shop-1
bead --title='Put in' --type=task --parent=shop-1.1
bead --title='Take out' --type=task --parent=shop-1.1
bead --title='Paying' --type=feature --parent=shop-1
bead --title='By card' --type=task --parent=shop-1.2
git add .beads
git commit -q -m Beads
touch "$hold/developer-shop-1.1.1" "$hold/developer-shop-1.1.2" "$hold/gives-up-shop-1.2.1"

terminal new-session -d -s main -x 120 -y 36 -c "$project" \
  "PS1='prompt> ' SHELL=/bin/sh VISUAL='$tmp/editor --wait' sh"
until_shown 'prompt>' 'a shell is there'
keys "'$capsule' ui; echo left \$?" Enter
until_shown 'No runs yet' 'the dashboard is there'

# The command line.
keys :
until_shown 'tab completes' 'a colon opens the command line'
keys -l 'bead sh'
keys Tab
keys -l 'shop-1.2.'
keys Tab
until_shown '› bead show shop-1.2.1' 'commands and beads are completed'
keys Enter
until_shown '✓ done' 'the command runs'
until_shown 'By card' 'what it prints is shown'
keys :
keys -l 'serve'
keys Enter
until_shown 'Not here' 'what would never end is refused'
keys C-u
keys Up
until_shown '› bead show shop-1.2.1' 'earlier lines come back'
keys C-c
until_gone 'tab completes' 'and it is left'

# The epic is run.
keys n
until_shown 'deliver its 3 open tasks' 'the tree of beads says what Enter does'
keys Enter
until_shown 'Run 3 tasks' 'a confirmation says how many tasks'
until_shown 'same as: capsule deliver shop-1' 'and which command'
keys Enter
until_shown '▸    • ▶ shop-1.1.1' 'the cursor goes to what works'
until_shown 'developer 1, in the delivery of shop-1' 'the phase of the running task is shown'
until_shown '▼ ▶ shop-1.1 ' 'a feature above it is at work, too'
until_shown '✗ shop-1.2.1' 'a task that failed is seen in the tree'
until_shown '0/3, 1 failed' 'and counted at the epic'
rm "$hold/developer-shop-1.1.1"
until_shown '✓ shop-1.1.1' 'one that is complete is closed'
until_shown '▸    • ▶ shop-1.1.2' 'the cursor goes on to the next'

# A shell and an editor in its worktree.
keys o
until_shown 'exit brings the dashboard back' 'o opens a shell'
keys 'pwd' Enter
until_shown '-shop-1.1.2' 'it is in the worktree'
expect 0 '0' 'the dashboard has given its screen back' terminal display -t main -p '#{alternate_on}'
keys C-d
until_shown '▸    • ▶ shop-1.1.2' 'its end brings the dashboard back'
keys e
until_shown '-shop-1.1.2 with --wait .' 'e opens the editor with its own options'
keys C-z
keys Enter
until_shown '▸    • ▶ shop-1.1.2' 'neither can be stopped for ever'

# Moved, it stays; a failed one says why.
keys G
until_shown 'ended with exit status 1' 'a failed task says why'
keys o
until_shown 'exit brings the dashboard back' 'its worktree is kept'
keys 'exit' Enter
until_shown 'ended with exit status 1' 'the cursor is where it was'
rm "$hold/developer-shop-1.1.2" "$hold/gives-up-shop-1.2.1"
until_shown '2/3, 1 failed' 'all others are complete'
until_shown '0 runs' 'the epic ends'
until_shown 'ended with exit status 1' 'and the cursor stays'
keys r
until_shown 'Try 1 task again' 'what failed can be tried again'
keys r
until_shown '3/3' 'and then all is complete'
keys q
until_shown 'left 0' 'q leaves'
finish
