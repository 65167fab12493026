#!/usr/bin/env bash
# Reads the output of a phase on stdin and prints its signal.
# Takes the arguments of 'capsule parse-signal' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 2 parse-signal "$@"
