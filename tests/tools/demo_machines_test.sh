#!/usr/bin/env bash
# ./demo --machines goes through: a worker and the database are killed, and each task is on main once.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
if [ ! -x "${1%/*}/capsule-cluster" ] || ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
  echo "skipped: there is no capsule-cluster, or no PostgreSQL"
  exit 0
fi
folder=$(mktemp -d /tmp/capsule-test-XXXXXX)
trap 'rm -rf "$folder"' EXIT
export CAPSULE_BINARY=$1 HOME=$folder/home
mkdir "$HOME"
out=$("$root/tools/demo-machines" "$folder/calculator" 2>&1) || { echo "$out" && exit 1; }
for words in 'is killed, with its agents at work' "its work is another's" 'The database is killed' \
  'Each task is on main exactly once' 'Merge C-8: The manual'; do
  case $out in
    *"$words"*) ;;
    *) echo "the demo does not say: $words" && echo "$out" && exit 1 ;;
  esac
done
[ "$(git -C "$folder/calculator" log --merges --format=%s main | grep -c '^Merge C-')" = 8 ]
