#!/bin/sh
# The tests of the greeter.
set -e
test "$(sh greet.sh Ada)" = "Hello, Ada"
if [ -f tests/nobody.sh ]; then sh tests/nobody.sh; fi
echo "all tests pass"
