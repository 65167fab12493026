#!/usr/bin/env bash
# The seven scripts hand their arguments to the binary, wherever they are called from.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# A project that holds the scripts, with a space and a quote in its path.
project="$tmp/my project's"
mkdir -p "$project" "$tmp/path" "$tmp/empty"
cp -r "$source_dir/scripts" "$project/"
project=$(cd "$project" && pwd -P)

# plant FILE: a capsule that says where it lies and what it was given, and exits with 7.
plant() {
  mkdir -p "$(dirname "$1")"
  # shellcheck disable=SC2016 # for the planted script
  printf '%s\n' '#!/bin/bash' 'printf "%s\n" "called $0"' 'printf "<%s>" "$@"' 'exit 7' >"$1"
  chmod +x "$1"
}
# The system's programs without any capsule.
bare() { PATH="$tmp/path:$(dirname "$(type -P bash)"):/usr/bin:/bin" "$@"; }

for name in setup-template prep teardown; do
  expect 1 "the capsule binary is neither beside" "$name.sh without a binary exits with 1" \
    bare "$project/scripts/$name.sh"
done
for name in parse-signal run-phase run-pipeline merge; do
  expect 2 "the capsule binary is neither beside" "$name.sh without a binary exits with 2" \
    bare "$project/scripts/$name.sh"
done

plant "$tmp/path/capsule"
expect 7 "called $tmp/path/capsule" "a binary on PATH is used" bare "$project/scripts/prep.sh" x
plant "$project/build/release/capsule"
expect 7 "called $project/build/release/capsule" "the source tree's binary goes before PATH" \
  bare "$project/scripts/prep.sh" x
plant "$project/bin/capsule"
expect 7 "called $project/bin/capsule" "bin/ beside the scripts goes before the build" \
  bare "$project/scripts/prep.sh" x
plant "$project/capsule"
expect 7 "called $project/capsule" "a binary beside the folder goes first" \
  bare "$project/scripts/prep.sh" x

for name in setup-template prep run-phase run-pipeline merge; do
  expect 7 "<$name><--scripts-dir=$project/scripts><a b><--x=\$(y) 'z'><>" \
    "$name.sh passes its words on as they are" bare "$project/scripts/$name.sh" "a b" "--x=\$(y) 'z'" ""
done
for name in parse-signal teardown; do
  expect 7 "<$name><--help>" "$name.sh passes its words on" bare "$project/scripts/$name.sh" --help
done

ln -s "$project/scripts/prep.sh" "$tmp/prep-link"
ln -s prep-link "$tmp/second-link"
expect 7 "--scripts-dir=$project/scripts" "a link to a link to a script is followed" \
  bare "$tmp/second-link" x
from_elsewhere() { cd "$tmp/empty" && bare ../my*/scripts/prep.sh x; }
expect 7 "called $project/capsule" "a relative call from elsewhere works" from_elsewhere

rm -r "${project:?}/capsule" "${project:?}/bin" "${project:?}/build" "$tmp/path/capsule"
plant "$tmp/empty/capsule"
relative_path() { cd "$tmp/empty" && PATH=".:/usr/bin:/bin" "$project/scripts/prep.sh" x; }
expect 1 "the capsule binary is neither beside" "a relative entry of PATH is not trusted" relative_path

mkdir -p "$tmp/usr/share/capsule"
cp -r "$source_dir/scripts" "$tmp/usr/share/capsule/"
plant "$tmp/usr/bin/capsule"
expect 7 "called $(cd "$tmp/usr" && pwd -P)/bin/capsule" "installed scripts find the installed binary" \
  bare "$tmp/usr/share/capsule/scripts/prep.sh" x

expect 0 "24 passed, 0 failed" "the fixtures of the demo project hold, from any folder" \
  "$source_dir/templates/demo-capsule/test-fixtures.sh"
finish
