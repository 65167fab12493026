# A terminal of its own, for tests that look at screens. Source it after expect.sh, end it with `end_scene`.
# shellcheck shell=bash
# shellcheck disable=SC2154 # expect.sh sets tmp
socket=$tmp/tmux
export HOME=$tmp/home GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8
unset TMUX NO_COLOR CAPSULE_PROVIDER 2>/dev/null || true
mkdir "$HOME"
terminal() { tmux -S "$socket" -f /dev/null "$@"; }
end_scene() { terminal kill-server 2>/dev/null || true; }

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
