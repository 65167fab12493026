# What ./test, ./demo, ./bench and tools/lint share. Source it from a script of this repository:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/tools/common.sh"
#   need build test            # installs the packages of these lists that are missing
#   build dev                  # configures and builds a preset
#   step "Doing it" command…   # one line: what, progress, how long; output only on failure
#
# It sets $root (the repository) and the strict shell options.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
source "$root/tools/packages.sh"
logs=$root/build/logs

die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  shift
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit 1
}

# The comment block at the top of the calling script is its help.
print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# seconds_since EPOCHREALTIME: "0.4 s", "12 s", "3 min 05 s".
seconds_since() {
  local from=${1/[.,]/} now=${EPOCHREALTIME/[.,]/}
  local tenths=$(((now - from) / 100000))
  if ((tenths < 100)); then
    printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
  elif ((tenths < 900)); then
    printf '%d s' $((tenths / 10))
  else
    printf '%d min %02d s' $((tenths / 600)) $((tenths / 10 % 60))
  fi
}

# Shows, until it is killed, how far the command that writes to log $3 has come. It uses no child
# process to wait, so that nothing keeps our output open after it ended.
tick() {
  local what=$1 from=$2 log=$3 never done_of
  exec {never}<> <(:)
  while kill -0 $$ 2>/dev/null; do
    read -r -t "$([ -t 1 ] && echo 1 || echo 20)" -u "$never" || true
    done_of=$(tail -c 4000 "$log" 2>/dev/null | grep -aoE '^\[ *[0-9]+/[0-9]+\]|^(Get|Unpacking|Setting up)[: ]' |
      tail -n 1 || true)
    if [ -t 1 ]; then
      printf '\r\033[K%s … %s %s' "$what" "$(seconds_since "$from")" "$done_of"
    else
      printf ' %s' "${done_of:-…}"
    fi
  done
}

# step WHAT COMMAND…: runs the command with its output in a log, says WHAT and for how long on one
# line, shows the log only on failure. Returns the command's exit code.
step() {
  local what=$1 from=$EPOCHREALTIME code=0 ticker log
  shift
  mkdir -p "$logs"
  log=$(mktemp "$logs/step.XXXXXX")
  printf '%s …' "$what"
  tick "$what" "$from" "$log" &
  ticker=$!
  "$@" >"$log" 2>&1 || code=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  if [ -t 1 ]; then printf '\r\033[K%s …' "$what"; fi
  if ((code == 0)); then
    printf ' %s\n' "$(seconds_since "$from")"
  else
    printf ' FAILED after %s:\n' "$(seconds_since "$from")"
    cat "$log"
  fi
  rm -f "$log"
  return "$code"
}

# Prints the packages among the arguments that are not installed.
missing_packages() {
  local installed
  command -v dpkg-query >/dev/null || die "this is no Debian system: dpkg-query is missing" \
    "Capsule is built with the packages of Debian 12; elsewhere, install the equivalents of:" "$*"
  # shellcheck disable=SC2016 # the fields are dpkg-query's, not the shell's
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || echo "$package"
  done
}

# need LIST…: makes sure that the packages of the named lists are installed.
need() {
  local name missing as_root=(env) wanted=()
  for name in "$@"; do
    local -n list="packages_$name"
    wanted+=("${list[@]}")
  done
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    if ! sudo -n true 2>/dev/null && ! { [ -t 0 ] && command -v sudo >/dev/null && sudo -v; }; then
      die "${#missing[@]} packages are missing, and there is no root or sudo to install them. Run:" \
        "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
  fi
  # The server that tests start themselves is none of this machine's, which is to have no other for it.
  local cluster=/etc/postgresql-common/createcluster.conf
  if [[ " ${missing[*]} " == *" postgresql-15 "* ]] && [ ! -e $cluster ]; then
    "${as_root[@]}" mkdir -p "${cluster%/*}"
    echo 'create_main_cluster = false' | "${as_root[@]}" tee $cluster >/dev/null
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  # A repository that cannot be reached is no reason to stop: the packages may come from another.
  step "Asking apt for its newest package lists" "${as_root[@]}" update || true
  step "Installing ${#missing[@]} packages (${missing[*]})" \
    "${as_root[@]}" install --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install what is missing. Try by hand:" \
      "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
}

# build PRESET [OPTION…]: configures and builds build/PRESET; the options go to cmake's first call.
build() {
  local preset=$1
  shift
  cd "$root"
  step "Building ($preset)" build_quietly "$preset" "$@" ||
    die "the $preset preset does not build; the compiler's words are above"
}
build_quietly() {
  local preset=$1
  shift
  cmake --preset "$preset" "$@" && cmake --build --preset "$preset"
}
