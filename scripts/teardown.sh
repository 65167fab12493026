#!/usr/bin/env bash
# Removes worktrees and phase output; keeps the archived logs.
# Takes the arguments of 'capsule teardown' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 1 teardown "$@"
