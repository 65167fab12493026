#!/usr/bin/env bash
# How tests/client/install-clients fetches agent clients, with stand-ins for npm and node.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

install=$source_dir/tests/client/install-clients
version_of() { awk -v name="$1" '$1 == name { print $3 }' "$install"; }
opencode=$(version_of opencode) qwen=$(version_of qwen) node=$(version_of node)
mkdir "$tmp/bin" "$tmp/bare"
for name in awk bash env mkdir mktemp flock timeout grep rm mv ln sleep chmod cat sh xargs dirname; do
  ln -s "$(type -P "$name")" "$tmp/bare/$name"
done
# npm BODY: a program of that name; $new is the folder it is told to fill, $wanted the package.
npm() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  printf '#!/bin/bash\nwanted=${!#}\necho "$wanted" >>"%s"\nwhile [ "$1" != --prefix ]; do shift; done; new=$2\n%s\n' \
    "$tmp/calls" "$1" >"$tmp/bin/npm"
  chmod +x "$tmp/bin/npm"
  rm -rf "$tmp/calls" "$tmp/cache"
}
# A node of this version, which "runs" a script by printing it.
old_node() {
  # shellcheck disable=SC2016 # expanded by the stand-in
  printf '#!/bin/bash\ncase $1 in --version) echo v%s ;; *) echo "node %s:"; cat "$1" ;; esac\n' "$1" "$1"
}
# shellcheck disable=SC2120 # `expect` passes arguments
install() { PATH="$tmp/bin:$tmp/bare" XDG_CACHE_HOME="$tmp/cache" "$install" "$@"; }
calls() { cat "$tmp/calls"; }
clients=$tmp/cache/capsule/clients
# shellcheck disable=SC2016
fills='mods=$new/node_modules; mkdir -p "$mods/opencode-ai/bin" "$mods/@qwen-code/qwen-code" "$mods/node/bin"
case $wanted in
  opencode-ai@*) printf "#!/bin/bash\necho %s \"\$@\"\n" OPENCODE >"$mods/opencode-ai/bin/opencode.exe" ;;
  @qwen*) echo "this is qwen ${wanted##*@}" >"$mods/@qwen-code/qwen-code/cli-entry.js" ;;
  node@*) cat "TMP/new-node" >"$mods/node/bin/node" ;;
esac
chmod -f +x "$mods"/*/bin/*; sleep 0.2'
fills=${fills//TMP/$tmp}
old_node "$node" >"$tmp/new-node"

expect 1 "unknown client 'nope'" "an unknown name is refused" install nope
expect 1 "npm is not installed" "without npm it says so" install opencode
npm 'echo "npm error code ENOTFOUND"; exit 1'
expect 1 "npm could not install opencode-ai $opencode from its registry (code ENOTFOUND)" \
  "without a registry it says so" install opencode
npm "${fills/OPENCODE/0.0.1}"
expect 1 "does not run on this machine" "a program of another version is refused" install opencode
expect 0 "lock-opencode" "and nothing is left of it but the lock" bash -c "ls '$clients' | xargs"
expect 1 "./test puts it there" "--where fetches nothing" install --where opencode

npm "${fills/OPENCODE/$opencode}"
program=$clients/opencode-$opencode/opencode
three() {
  local pids=() pid
  for _ in 1 2 3; do
    install opencode &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || return; done
}
expect 0 "$program" "three at once all get it" three
expect 0 "opencode-ai@$opencode" "at the pinned version" calls
expect 0 "1" "and npm was called once" bash -c "wc -l <'$tmp/calls'"
expect 0 "$program" "--where finds it" install --where opencode
expect 0 "$opencode run it" "what is told starts the program" "$program" run it

# A script runs under a node that is new enough: ours where that of the system is not.
old_node 20.1.0 >"$tmp/bin/node"
chmod +x "$tmp/bin/node"
program=$clients/qwen-$qwen/qwen
expect 0 "$program" "a script that the system's node is too old for is fetched" install qwen
expect 0 "node@$node" "with a node of its own" calls
expect 0 "node $node:" "under which it runs" "$program" -p
old_node 22.0.0 >"$tmp/bin/node"
rm -rf "$clients"
expect 0 "$program" "where the system's node is new enough" install qwen
expect 0 "node 22.0.0:" "that one is used" "$program" -p
rm "$tmp/bin/node"
expect 1 "./test puts it there" "until it is gone" install --where qwen
expect 0 "codex gemini opencode" "the clients of every ./test are told" bash -c "'$install' --names test | xargs"

finish
