#!/bin/sh
# Runs every test from the top of the project. A test is a script that ends with 0.
cd "$(dirname "$0")/.." || exit 1
failed=0
for test in tests/*_test.sh; do
  [ -e "$test" ] || continue
  if sh "$test"; then echo "ok   $test"; else echo "FAIL $test"; failed=1; fi
done
exit $failed
