#!/usr/bin/env bash
# Creates a fresh project from the demo-capsule template.
# Takes the arguments of 'capsule setup-template' and returns its exit codes; see docs/commands.md.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
exec_capsule "$here" 1 setup-template --scripts-dir="$here" "$@"
