#!/usr/bin/env bash
# Runs of every workflow with phases, each started elsewhere and seen in one dashboard that was open before: the pipeline,
# auto mode, headless and in a session, and users' own workflows. And the dashboard outlives the journal that it shows.
# $1: the built binary.
set -euo pipefail
# shellcheck source=tests/tools/expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
capsule=$1
# shellcheck source=tests/tools/scene.sh
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"

project=$tmp/calculator
cp -r "$source_dir/templates/demo-delivery/project" "$project"
mkdir "$project/.beads" "$HOME/go"
cp "$source_dir/tests/tools/three-beads.jsonl" "$project/.beads/issues.jsonl"
commit_all "$project"
git -C "$project" branch topic
configure() { configure_agent "$project" "$source_dir/tests/tools/stepwise-agent" <<<'verify: {test: sh tests/run.sh}'; }
configure

# start WORDS…: a run of another terminal, which no agent of brings on before `allow` is called.
start() {
  rm -f "$HOME"/go/*
  (cd "$project" && exec "$capsule" "$@" --json) >"$tmp/run.log" 2>&1 </dev/null &
  run_pid=$!
}
allow() {
  local phase
  for phase in "$@"; do : >"$HOME/go/$phase"; done
}
# ended CODE SENTENCE: the run of `start` ends so.
ended() {
  local code=0
  wait "$run_pid" || code=$?
  run_pid=
  expect 0 "$1" "$2" echo "$code"
  if [ "$code" -ne "$1" ]; then tail -n 3 "$tmp/run.log"; fi
}

# until_quiet SENTENCE: the dashboard's clock goes on for a while, and it starts no other process. The kernel counts the
# page faults of those that have ended.
until_quiet() {
  local i pid now clock='' count last='' quiet=0
  checks=$((checks + 1))
  pid=$(pgrep -P "$(terminal display -t main -p '#{pane_pid}')")
  for ((i = 0; i < 600; i++)); do
    screen=$(terminal capture-pane -p -t main)
    now=
    if [[ $screen =~ [0-9]{2}:[0-9]{2}:[0-9]{2}\ UTC ]]; then now=${BASH_REMATCH[0]}; fi
    if [ "$now" != "$clock" ]; then
      clock=$now
      count=$(cut -d ' ' -f 11 "/proc/$pid/stat")
      if [ "$count" = "$last" ]; then quiet=$((quiet + 1)); else quiet=0; fi
      last=$count
      if [ "$quiet" -ge 5 ]; then return; fi
    fi
    sleep 0.1
  done
  printf 'NOT TRUE: %s\n  page faults of its children: %s\n%s\n' "$1" "$last" "$screen"
  exit 1
}

terminal new-session -d -s main -x 120 -y 36 -c "$project" "PS1='prompt> ' sh"
until_shown 'prompt>' 'a shell is there'
keys "'$capsule' ui" Enter
until_shown 'No runs yet' 'an empty project says so'

# The pipeline, whose first try of the code is refused by the checks.
start run calc-1
until_shown 'Keep the right answer' 'a run of the pipeline comes by itself'
keys b
until_shown '▶ test-writer' 'its first phase is at work'
until_shown '○ execute ' 'later phases are to come'
allow test-writer test-review
until_shown '✓ test-review' 'phases that passed are ticked'
until_shown '▶ execute ' 'the next one is at work'
keys 3
until_shown 'Now I am at execute, attempt 1.' 'what its agent prints is read while it works'
until_quiet 'nothing is started to read what an agent prints that is silent'
printf "echo 'One more word.'\necho 'One aside.' >&2\n" >"$HOME/say"
mv "$HOME/say" "$HOME/go/say"
until_shown 'One more word.' 'what it prints then is read'
until_shown 'One aside.' 'and what it prints on stderr'
until_quiet 'and it is quiet again'

# It prints a megabyte each second: the dashboard follows, and is there for whoever presses a key.
cat >"$HOME/say" <<'SAY'
round=0
while [ ! -e "$HOME/go/enough" ]; do
  round=$((round + 1))
  if [ "$round" -le 20 ]; then head -c 1000000 /dev/zero | tr '\0' x | fold -w 99; fi
  printf '\nRound %s is over.\n' "$round"
  sleep 1
done
echo 'The flood is over.'
SAY
mv "$HOME/say" "$HOME/go/say"
until_shown ' is over.' 'a flood is followed'
keys 1
until_shown 'said' 'meanwhile keys do what they do'
keys 3
allow enough
until_shown 'The flood is over.' 'and it is followed to its end'
allow execute
until_shown 'passed, 2 attempts' 'a try that the checks refuse is followed by another'
allow all
ended 0 'the pipeline ends well'
until_shown '6/6  done' 'it is done'
until_shown 'merged as' 'and merged'
keys 1
until_shown '✓ merge ' 'every phase has passed'

# What it left, on the other screens; and the command of what is chosen, in the clipboard of the terminal.
keys 2 g Down Down
until_shown '-wrong' 'the diff of an attempt has what it took away'
until_shown '+right' 'and what it added'
# click TEXT: with the mouse, where that is on the screen.
click() {
  local line=0 text
  while IFS= read -r text; do
    line=$((line + 1))
    if [[ $text != *"$1"* ]]; then continue; fi
    text=${text%%"$1"*}
    keys -l "$(printf '\033[<0;%s;%sM\033[<0;%s;%sm' "$((${#text} + 1))" "$line" "$((${#text} + 1))" "$line")"
    return
  done <<<"$screen"
}
until_gone '▸✓ sign-off' 'another phase is chosen'
click 'sign-off'
until_shown '▸✓ sign-off' 'a click chooses a row'
keys H
until_shown 'Pipeline complete' 'what has ended is in the history, with its summary'
keys Tab PageDown
until_shown '── worklog.md' 'and its worklog'
keys Tab L
until_shown 'files_changed' 'the ledger counts what agents claimed'
terminal set-option -s set-clipboard on
keys y
until_shown 'capsule ledger' 'y says what it has copied'
expect 0 'capsule ledger' 'the command is in the clipboard' terminal show-buffer
keys i

# Auto mode.
start auto run 'Find out what is faster'
until_shown 'Find out what is faster' 'a run of auto mode comes by itself'
keys g b
until_shown '▶ expansion' 'its first phase is at work'
allow expansion init planning
until_shown '▶ execution' 'it is followed from phase to phase'
keys 3
until_shown 'Now I am at execution, attempt 1.' 'what its agent prints is read while it works'
keys t
until_shown 'Timeline' 'it has a timeline'
until_shown 'planning' 'with its phases'
allow execution qa
keys b
until_shown '▶ review' 'the review is at work'
until_shown '3 agents at work' 'with its three reviewers'
allow all
ended 0 'auto mode ends well'
until_shown '✓ reflect' 'every phase has passed'
until_shown '9/9  done' 'it is done'
until_shown 'merged as' 'and merged'
keys i

# A spike: a workflow in which a person approves the plan, here in the dashboard.
start run calc-2 --workflow=spike
until_shown 'Try a faster way' "a run of a user's own workflow comes by itself"
allow plan
ended 1 'it ends where a person has to approve'
until_shown 'Needs you (1)' 'the approval is asked for'
keys g a
until_shown 'Approve it' 'a asks whether to approve it'
keys Enter
until_shown 'approved' 'it is approved'
rm -f "$HOME"/go/*
keys g b
until_shown '✓ plan' 'the plan has passed'
keys R
until_shown 'esc not now' 'going on is confirmed first'
keys Enter
until_shown '▶ code' 'it goes on from the dashboard'
allow all
until_shown '✓ check' 'every phase has passed'
until_shown '3/3  done' 'it is done'
expect 0 spike 'its work is on its branch' git -C "$project" show capsule-calc-2:spike.txt
keys i

# Three reviewers at once.
start run calc-3 --workflow=review-panel --branch=topic
until_shown 'Look at the topic' 'a run of the panel comes by itself'
keys g b
until_shown '3 agents at work' 'its three reviewers work at once'
allow review-security
until_shown '✓ review-security' 'one of them is done'
until_shown '▶ review-quality' 'and another is not'
allow all
ended 0 'the panel ends well'
until_shown '✓ review-quality' 'all have passed'

# The journal is deleted while its board is looked at, at an earlier moment of it; another begins in its place.
keys t
until_shown 'replay' 'the timeline can be replayed'
keys Left
until_shown 'replay: fact' 'an earlier moment is shown'
rm -rf "$project/.capsule"
until_shown 'This run is not in the journal' 'a run that is gone is called that'
until_gone 'replay: fact' 'nothing of it is replayed any more'
keys i
until_shown 'No runs yet' 'there is nothing to show'
until_shown 'Nothing needs you' 'and nobody is needed'
configure
start auto run 'Begin anew'
until_shown 'Begin anew' 'the new journal is followed'
keys g b
until_shown '▶ expansion' 'its run is seen at work'
allow all
ended 0 'it ends well'
until_shown '✓ reflect' 'and is seen to its end'
keys i

# Auto mode in a session of an agent's client: only its hook tells where it is, and not to the journal.
(cd "$project" && "$capsule" auto start 'Greet in a session') >/dev/null
until_shown 'Greet in a session' 'a session comes by itself'
keys g b
until_shown '▶ expansion' 'its first phase is at work'
stops() {
  printf '{"session_id": "s-1", "cwd": "%s", "hook_event_name": "Stop", "last_assistant_message": "%s"}' "$project" \
    "---\\nSIGNAL: $1\\nTIMESTAMP: 2026-01-31T23:59:59Z\\n---" |
    env -u CAPSULE_RUN -u CLAUDE_PROJECT_DIR "$capsule" hook stop >/dev/null
}
stops EXPANSION_COMPLETE
until_shown '✓ expansion' 'a phase that the hook has ended is ticked'
until_shown '▶ init' 'and the next one is at work'
keys q
until_shown 'prompt>' 'q leaves'
finish
