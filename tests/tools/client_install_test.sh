#!/usr/bin/env bash
# How tests/client/install fetches the agent client, with a stand-in for npm.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

install=$source_dir/tests/client/install
version=$(sed -n 's/^version=\([0-9.]*\).*/\1/p' "$install")
mkdir "$tmp/bin" "$tmp/bare"
for name in bash dirname env mkdir mktemp flock timeout grep head rm mv sleep chmod cat; do
  ln -s "$(type -P "$name")" "$tmp/bare/$name"
done
# npm BODY: a program of that name; $new is the folder it is told to fill.
npm() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  printf '#!/bin/bash\necho called >>"%s"\nwhile [ "$1" != --prefix ]; do shift; done; new=$2\n%s\n' \
    "$tmp/calls" "$1" >"$tmp/bin/npm"
  chmod +x "$tmp/bin/npm"
  rm -rf "$tmp/calls" "$tmp/cache"
}
# shellcheck disable=SC2120 # `expect` passes arguments
install() { PATH="$tmp/bin:$tmp/bare" XDG_CACHE_HOME="$tmp/cache" "$install" "$@"; }
calls() { wc -l <"$tmp/calls"; }
# shellcheck disable=SC2016
fills='place=$new/node_modules/@anthropic-ai/claude-code/bin; mkdir -p "$place"
printf "#!/bin/bash\necho \"%s (A client)\"\n" VERSION >"$place/claude.exe"; chmod +x "$place/claude.exe"; sleep 0.2'
program=$tmp/cache/capsule/clients/claude-code-$version/node_modules/@anthropic-ai/claude-code/bin/claude.exe

expect 1 "npm is not installed" "without npm it says so" install
npm 'echo "npm error code ENOTFOUND"; exit 1'
expect 1 "npm could not install @anthropic-ai/claude-code $version from its registry (code ENOTFOUND)" \
  "without a registry it says so" install
npm "${fills/VERSION/0.0.1}"
expect 1 "does not run on this machine" "a program of another version is refused" install
expect 0 "lock" "and nothing is left of it" ls "$tmp/cache/capsule/clients"
# shellcheck disable=SC2012 # the names are ours
expect 0 "1" "but the lock" bash -c "ls '$tmp/cache/capsule/clients' | wc -l"
expect 1 "./test puts it there" "--where fetches nothing" install --where

npm "${fills/VERSION/$version}"
expect 0 "$program" "what was fetched is told by its path" install
expect 0 "$program" "--where finds it" install --where
expect 0 "$program" "and it is not fetched again" install
expect 0 "1" "npm was called once" calls
rm "$tmp/cache/capsule/clients/claude-code-$version/complete"
expect 0 "$program" "what is not complete is fetched again" install
expect 0 "2" "by npm" calls

npm "${fills/VERSION/$version}"
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
expect 0 "1" "and npm was called once" calls
expect 1 "unknown option --frobnicate" "unknown options are refused" install --frobnicate

finish
