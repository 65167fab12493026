#!/usr/bin/env bash
# Creates the worktree and the worklog of a bead.
# Takes the arguments of 'capsule prep' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 1 prep --scripts-dir="$here" "$@"
