#!/usr/bin/env bash
# Merges the finished worktree of a bead to the main branch.
# Takes the arguments of 'capsule merge' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 2 merge --scripts-dir="$here" "$@"
