# The Debian packages each job needs: the one place where they are listed. Sourced by tools/common.sh.
# ./demo installs `build` only; what tests, lint and benchmarks need on top comes with those.
# shellcheck shell=bash disable=SC2034

packages_build=(
  cmake g++ git ninja-build
  libboost-dev libexpected-dev libmbedtls-dev libpugixml-dev libsqlite3-dev libyaml-cpp-dev nlohmann-json3-dev
)
# The demo project is written in Go; any go that is there will do.
if ! type -P go >/dev/null; then packages_build+=(golang-go); fi
packages_test=(
  ccache curl jq libgmock-dev libgtest-dev
  clang-16 libclang-rt-16-dev # what tests are built with, sanitizers, and libFuzzer for the fuzz targets
  fish mandoc zsh             # readers of what the program generates
  iproute2                    # the network of the lab in tests/contain
  libpq-dev postgresql-15     # the journal in a database: its library, and a server for the tests
  libvterm-dev tmux           # terminals: one as a library, one for the whole program
  python3-pytest              # a runner whose tests run inside walls
  clang-format-16 shellcheck  # the tests of the lint script
)
packages_machines=(libpq-dev postgresql-15) # the journal in a database, and one to show it with
packages_client=(npm) # only where no npm is there: ./test fetches the agent client with it
packages_browser=(chromium) # for the tests of the page, with the npm that is there, or Debian's
if ! type -P npm >/dev/null; then packages_browser+=(npm); fi
packages_bench=(libbenchmark-dev python3-minimal)
packages_lint=(clang-16 clang-format-16 clang-tidy-16 jq libbenchmark-dev shellcheck)
