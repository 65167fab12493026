# A terminal of its own, for tests that look at screens. Source it after expect.sh; what it makes goes away at the end.
# shellcheck shell=bash
# shellcheck disable=SC2154 # expect.sh sets tmp
socket=$tmp/tmux
export HOME=$tmp/home GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8
export CAPSULE_CONTAIN=off # agents wait for files outside, which none would see inside walls
unset TMUX NO_COLOR CAPSULE_PROVIDER 2>/dev/null || true
mkdir "$HOME"
terminal() { tmux -S "$socket" -f /dev/null "$@"; }
run_pid= # of a run that is to end with the test; empty: none
end_scene() {
  terminal kill-server 2>/dev/null || true
  if [ -n "$run_pid" ]; then
    kill "$run_pid" 2>/dev/null || true
    wait "$run_pid" 2>/dev/null || true
  fi
  rm -rf "$tmp"
}
trap end_scene EXIT

# commit_all FOLDER: makes a repository of it, with all that is there.
commit_all() {
  git -C "$1" init -q -b main
  git -C "$1" config user.name Test
  git -C "$1" config user.email test@example.org
  git -C "$1" add .
  git -C "$1" commit -q -m Begin
}
# configure_agent FOLDER COMMAND: the project's provider is this command; more lines of the configuration come from stdin.
configure_agent() {
  mkdir -p "$1/.capsule"
  printf 'provider: rehearsed\nproviders:\n  rehearsed: {command: ["%s"]}\n' "$2" >"$1/.capsule/config.yaml"
  cat >>"$1/.capsule/config.yaml"
}

# until_shown TEXT SENTENCE: the text comes on the screen, however busy the machine is. What follows builds on it: a test
# ends where it does not.
until_shown() {
  local i
  checks=$((checks + 1))
  for ((i = 0; i < 600; i++)); do
    screen=$(terminal capture-pane -p -t main)
    if [[ $screen == *"$1"* ]]; then return 0; fi
    sleep 0.1
  done
  printf 'NOT TRUE: %s\n  never shown: %s\n%s\n' "$2" "$1" "$screen"
  exit 1
}
# until_gone TEXT SENTENCE: it goes from the screen.
until_gone() {
  local i
  checks=$((checks + 1))
  for ((i = 0; i < 600; i++)); do
    screen=$(terminal capture-pane -p -t main)
    if [[ $screen != *"$1"* ]]; then return 0; fi
    sleep 0.1
  done
  printf 'NOT TRUE: %s\n  still shown: %s\n%s\n' "$2" "$1" "$screen"
  exit 1
}
keys() { terminal send-keys -t main "$@"; }
