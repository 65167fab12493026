#!/usr/bin/env bash
# How tests/task/install-bd builds the real bd, with a stand-in for go.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

install=$source_dir/tests/task/install-bd
version=$(sed -n 's/^version=\([0-9.]*\).*/\1/p' "$install")
mkdir "$tmp/bin" "$tmp/bare"
for name in bash env mkdir mktemp flock timeout grep sed rm mv sleep chmod cat; do
  ln -s "$(type -P "$name")" "$tmp/bare/$name"
done
# go VERSION DOWNLOAD BUILD: a program of that name, by what it does for `mod download` and `build`;
# $out is the file that it is told to build.
go() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  printf '#!/bin/bash\ncase $1 in\nversion) echo "go version %s linux/amd64" ;;\nmod)\n%s\n;;\nbuild)\n%s\n%s\n;;\nesac\n' \
    "$1" "$2" "echo called >>'$tmp/calls'"'; while [ "$1" != -o ]; do shift; done; out=$2' "$3" >"$tmp/bin/go"
  chmod +x "$tmp/bin/go"
  rm -rf "$tmp/calls" "$tmp/cache"
}
# shellcheck disable=SC2120 # `expect` passes arguments
install() { PATH="$tmp/bin:$tmp/bare" XDG_CACHE_HOME="$tmp/cache" "$install" "$@"; }
calls() { wc -l <"$tmp/calls"; }
# shellcheck disable=SC2012 # the names are ours
left() { ls "$tmp/cache/capsule/bd" | tr '\n' ' '; }
unpacked=$tmp/unpacked
mkdir "$unpacked"
# shellcheck disable=SC2016
fetches='[ "$(cat go.sum | grep -c h1:)" = 2 ] || exit 3; printf "{\n\t\"Version\": \"v1\",\n\t\"Dir\": \"UNPACKED\",\n\t\"Sum\": \"s\"\n}\n"'
fetches=${fetches/UNPACKED/$unpacked}
# shellcheck disable=SC2016
builds='[ "$PWD" = UNPACKED ] || exit 4
printf "#!/bin/bash\necho \"bd version %s (dev)\"\n" VERSION >"$out"; chmod +x "$out"; sleep 0.2'
builds=${builds/UNPACKED/$unpacked}
program=$tmp/cache/capsule/bd/bd-$version/bd

expect 1 "go is not installed" "without go it says so" install
go go1.19.8 false false
expect 1 "bd $version needs Go 1.25 or newer, and this is Go 1.19" "an old go is told so" install
go go1.25.0 'echo "go: downloading it" >&2; echo "go: module lookup: no such host" >&2; exit 1' false
expect 1 "go could not fetch bd $version (module lookup: no such host)" "without a network it says so" install
expect 0 "lock" "and leaves nothing" left
go go1.25.0 "$fetches" 'echo "go: cannot compile" >&2; exit 1'
expect 1 "go could not build bd $version (cannot compile)" "what does not build is told" install
go go1.25.0 "$fetches" "${builds/VERSION/0.0.1}"
expect 1 "does not run on this machine" "a program of another version is refused" install
[ "$(left)" = "lock " ] || expect 0 "nothing but the lock" "nothing else is left of it" left
expect 1 "./test puts it there" "--where fetches nothing" install --where

go go1.25.0 "$fetches" "${builds/VERSION/$version}"
expect 0 "$program" "what was built is told by its path" install
expect 0 "$program" "--where finds it" install --where
expect 0 "$program" "and it is not built again" install
expect 0 "1" "go built once" calls
[ "$(left)" = "bd-$version lock " ] || expect 0 "the program and the lock" "nothing else is left" left

go go1.26.1 "$fetches" "${builds/VERSION/$version}"
three() {
  local pids=() pid
  for _ in 1 2 3; do
    # shellcheck disable=SC2119
    install &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || return; done
}
expect 0 "$program" "three at once all get it" three
expect 0 "1" "and go built once" calls
expect 1 "unknown option --frobnicate" "unknown options are refused" install --frobnicate

finish
