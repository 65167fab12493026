#!/usr/bin/env bash
# Takes a bead through the whole pipeline.
# Takes the arguments of 'capsule run-pipeline' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 2 run-pipeline --scripts-dir="$here" "$@"
