#!/usr/bin/env bash
# Runs one phase of the pipeline with an agent.
# Takes the arguments of 'capsule run-phase' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 2 run-phase --scripts-dir="$here" "$@"
