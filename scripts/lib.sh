# shellcheck shell=bash
# What the seven scripts share. Each of them only hands its arguments to the capsule binary:
#   exec_capsule SCRIPTS_FOLDER EXIT_CODE_WITHOUT_BINARY COMMAND ARGUMENTS...
# The binary is looked for beside the folder (also in bin/, in the build folders of the source tree,
# and in <prefix>/bin when the folder is <prefix>/share/capsule/scripts), then on PATH. By
# --scripts-dir it learns where the scripts lie: prompts/ and templates/ beside them come first.

find_capsule() {
  local root=$1/.. candidate
  for candidate in "$1/capsule" "$root/capsule" "$root/bin/capsule" \
    "$root/build/release/capsule" "$root/build/dev/capsule" "$root/../../bin/capsule"; do
    if [ -f "$candidate" ] && [ -x "$candidate" ]; then
      realpath -- "$candidate"
      return 0
    fi
  done
  candidate=$(type -P capsule) || return 1
  # A relative entry of PATH could be a repository's: it does not supply our binary.
  case $candidate in /*) printf '%s\n' "$candidate" ;; *) return 1 ;; esac
}

exec_capsule() {
  local scripts=$1 missing=$2 binary
  shift 2
  if ! binary=$(find_capsule "$scripts"); then
    printf '%s: the capsule binary is neither beside %s nor on PATH\n' "$1" "$scripts" >&2
    printf '  build it with ./demo --build-only in its source tree, or install its package\n' >&2
    exit "$missing"
  fi
  exec "$binary" "$@"
}
