#!/usr/bin/env bash
# How tests/client/install fetches the agent client, with a stand-in for npm.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

install=$source_dir/tests/client/install
read -r oldest newest < <(sed -n 's/^versions=(\([0-9. ]*\)).*/\1/p' "$install")
mkdir "$tmp/bin" "$tmp/bare"
for name in bash dirname env mkdir mktemp flock timeout grep head tail sort rm mv sleep chmod cat; do
  ln -s "$(type -P "$name")" "$tmp/bare/$name"
done
# npm BODY: a program of that name; $new is the folder it is told to fill, $version what with.
npm() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  printf '#!/bin/bash\necho called >>"%s"\nversion=${!#}; version=${version##*@}
while [ $# -gt 0 ] && [ "$1" != --prefix ]; do shift; done; new=$2\n%s\n' "$tmp/calls" "$1" >"$tmp/bin/npm"
  chmod +x "$tmp/bin/npm"
  rm -rf "$tmp/calls" "$tmp/cache"
}
# shellcheck disable=SC2120 # `expect` passes arguments
install() { PATH="$tmp/bin:$tmp/bare" XDG_CACHE_HOME="$tmp/cache" "$install" "$@"; }
calls() { wc -l <"$tmp/calls"; }
# shellcheck disable=SC2016
fills='place=$new/node_modules/@anthropic-ai/claude-code/bin; mkdir -p "$place"
printf "#!/bin/bash\necho \"%s (A client)\"\n" "$version" >"$place/claude.exe"; chmod +x "$place/claude.exe"; sleep 0.2'
line_of() {
  printf '%s %s/cache/capsule/clients/claude-code-%s/node_modules/@anthropic-ai/claude-code/bin/claude.exe' \
    "$1" "$tmp" "$1"
}
both=$(line_of "$oldest" && echo && line_of "$newest")

expect 1 "npm is not installed" "without npm it says so" install
npm 'echo "npm error code ENOTFOUND"; exit 1'
expect 1 "npm could not install @anthropic-ai/claude-code $oldest from its registry (code ENOTFOUND)" \
  "without a registry it says so" install
npm "version=0.0.1; $fills"
expect 1 "does not run on this machine" "a program of another version is refused" install
expect 0 "lock" "and nothing is left of it" ls "$tmp/cache/capsule/clients"
# shellcheck disable=SC2012 # the names are ours
expect 0 "1" "but the lock" bash -c "ls '$tmp/cache/capsule/clients' | wc -l"
expect 1 "./test puts it there" "--where fetches nothing" install --where

npm "$fills"
expect 0 "$both" "every version that was fetched is told with its path, the oldest first" install
expect 0 "$both" "--where finds them" install --where
expect 0 "$(line_of "$newest")" "or the one that is named" install --where "$newest"
expect 0 "$both" "and they are not fetched again" install
expect 0 "2" "npm was called once for each" calls
rm "$tmp/cache/capsule/clients/claude-code-$newest/complete"
expect 1 "./test puts it there" "one alone is not all" install --where
expect 0 "$both" "what is not complete is fetched again" install
expect 0 "3" "by npm" calls

npm "$fills"
three() {
  local pids=() pid
  for _ in 1 2 3; do
    # shellcheck disable=SC2119
    install &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || return; done
}
expect 0 "$both" "three at once all get them" three
expect 0 "2" "and npm was called once for each" calls

# newer WORDS: what --newer prints when the registry says WORDS, between brackets.
newer() {
  npm "$1"
  printf '[%s]\n' "$(install --newer)"
}
expect 0 "[99.0.1]" "a newer version than the newest that is tested is told" newer "echo 99.0.1"
expect 0 "[]" "the newest itself is not" newer "echo $newest"
expect 0 "[]" "nor one in between" newer "echo $oldest"
expect 0 "[]" "nor words that are no version" newer "echo 'see our site'"
expect 0 "[]" "nor a failure" newer "echo 99.0.1; exit 1"
rm "$tmp/bin/npm"
expect 0 "" "without npm nothing is told" install --newer
expect 1 "unknown option --frobnicate" "unknown options are refused" install --frobnicate

finish
