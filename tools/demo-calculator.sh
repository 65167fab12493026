# What the demonstrations of a delivery share. Source it after common.sh.
# shellcheck shell=bash

# make_calculator [DIR]: makes the project that is delivered in DIR, or in a temporary folder, and goes there. What
# stands in $provider_more is added to the provider of the rehearsed agent; $demo_agent is another one.
make_calculator() {
  # shellcheck disable=SC2154 # common.sh sets it
  local template=$root/templates/demo-delivery folder=${1:-$(mktemp -d)/calculator}
  [ ! -e "$folder" ] || die "$folder exists already" "name a folder that does not"
  mkdir -p "$folder"
  cd "$folder" || exit
  cp -r "$template/project/." .
  export GIT_CONFIG_NOSYSTEM=1
  git init -q -b main
  git config user.name Demo
  git config user.email demo@example.org
  git add .
  git commit -q -m "Begin the calculator"
  mkdir -p .capsule
  cat >.capsule/config.yaml <<YAML
provider: rehearsed
providers:
  rehearsed: {command: ["${demo_agent:-$template/agent}"]${provider_more-}}
verify:
  test: sh tests/run.sh
YAML
}
