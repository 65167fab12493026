#!/usr/bin/env bash
# How ./test and ./demo set up a machine, shown with stand-ins for the system's own programs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# stand_in NAME BODY: a program of that name comes first on the PATH of `on_machine`.
mkdir "$tmp/bin"
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}
# A copy of the scripts, so that logs go elsewhere.
mkdir "$tmp/repo"
cp -r "$source_dir/tools" "$source_dir/test" "$source_dir/demo" "$tmp/repo"

on_machine() { PATH="$tmp/bin:$PATH" LOG="$tmp/log" "$@" </dev/null; }
# shellcheck disable=SC2016 # expanded inside
script() { on_machine bash -c 'source "$0/tools/common.sh"; eval "$1"' "$tmp/repo" "$1"; }
called() { cat "$tmp/log" 2>/dev/null || true; }
# shellcheck disable=SC2016
lists() { script 'echo " ${packages_build[*]} "'; }

# shellcheck disable=SC2016 # expanded by the stand-in
all_there='shift 3; for p; do echo "installed $p"; done'
# shellcheck disable=SC2016
two_missing='shift 3; for p; do case $p in ninja-build) echo "config-files $p" ;; cmake) ;; *) echo "installed $p" ;; esac; done; exit 1'
# shellcheck disable=SC2016
record='echo "$(basename "$0") $*" >>"$LOG"'

stand_in dpkg-query "$all_there"
stand_in apt-get "$record"
stand_in sudo "$record"
expect 0 "" "nothing is installed when all is there" script 'need build test'
[ -z "$(called)" ] || expect 0 "" "no apt when all is there" false

stand_in dpkg-query "$two_missing"
stand_in id 'echo 0'
expect 0 "Installing 2 packages (cmake ninja-build)" "root installs what is missing" script 'need build'
expect 0 "update" "the lists are fetched first" head -n 1 "$tmp/log"
expect 0 "install --no-install-recommends cmake ninja-build" "only what is missing is installed" tail -n 1 "$tmp/log"

rm "$tmp/log"
stand_in apt-get "$record"'; echo "E: no such host"; exit 100'
expect 1 "E: no such host" "apt's words are shown when it fails" script 'need build'
expect 1 "apt-get update && apt-get install --no-install-recommends cmake ninja-build" \
  "and the line to try by hand" script 'need build'

stand_in id 'echo 1000'
stand_in sudo 'exit 1'
expect 1 "apt-get update && apt-get install --no-install-recommends cmake ninja-build" \
  "without root or sudo the exact packages are listed" script 'need build'
for program in test demo; do
  expect 1 "install --no-install-recommends cmake ninja-build" "./$program lists them too" on_machine "$tmp/repo/$program"
done

rm -f "$tmp/log"
stand_in apt-get "$record"
# shellcheck disable=SC2016
stand_in sudo 'if [ "$1" = -n ]; then shift; fi; echo "sudo $*" >>"$LOG"'
expect 0 "Installing 2 packages" "sudo is used where it works" script 'need build'
expect 0 "sudo env DEBIAN_FRONTEND=noninteractive apt-get" "apt is run by sudo" tail -n 1 "$tmp/log"

for package in clang-16 libgtest-dev libbenchmark-dev shellcheck; do
  [[ $(lists) != *" $package "* ]] || expect 0 "" "./demo does not install $package" false
done

expect 0 "Doing it … " "a step says what it does and for how long" script 'step "Doing it" true'
expect 3 "the reason" "a failing step shows its output and keeps its code" \
  script 'step "Doing it" bash -c "echo the reason; exit 3"'
quiet() { script 'step "Doing it" echo noise' | grep -c noise; }
expect 1 "0" "a step that succeeds does not" quiet

# failing FIRST SECOND: a runner in which so many tests fail, and so many of them when they are run again.
stand_in dpkg-query "$all_there"
stand_in cmake true
failing() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  stand_in ctest '
    log='"$tmp"'/repo/build/dev/Testing/Temporary/LastTestsFailed.log count='"$1"'
    case "$*" in *--rerun-failed*) count='"$2"' ;; esac
    mkdir -p "${log%/*}" && : >"$log"
    for ((i = 1; i <= count; ++i)); do echo "$i:Suite.Test$i" >>"$log"; done
    exit $((count > 0 ? 8 : 0))'
}
run_tests() { on_machine "$tmp/repo/test" "$@" Suite; }
failing 1 0
expect 8 "" "a test that fails once fails the run" run_tests
expect 0 "Unsteady: Suite.Test1 failed at first, and passed alone" "with --again it is run once more and named" run_tests --again
failing 3 1
expect 8 "Testing again, alone: Suite.Test1, Suite.Test2, Suite.Test3" "a test that fails twice fails the run" run_tests --again
failing 4 0
expect 8 "" "and so do four that fail once" run_tests --again
never_again() { ! run_tests --again | grep -q 'Testing again'; }
expect 0 "" "which are not run again" never_again

for program in test demo tools/lint; do
  expect 0 "--help" "$program explains itself" "$source_dir/$program" --help
  expect 1 "unknown option --frobnicate" "$program refuses unknown options" "$source_dir/$program" --frobnicate
done
expect 1 "valid: --full, --again, --preset=dev|asan|tsan" "./test refuses unknown presets" "$source_dir/test" --preset=fast

finish
