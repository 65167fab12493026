#!/usr/bin/env bash
# Every page of docs/decisions is in the index, once, with its number, title and status, and the index
# names no other; a check that finds nothing would find what is wrong in a copy.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# The rows that the pages in folder $1 ask for, in the order of their numbers.
wanted_rows() {
  local page name number title by
  for page in "$1"/[0-9]*.md; do
    name=${page##*/}
    number=$((10#${name%%-*}))
    title=$(sed -nE "1s/^# 0*${number}[.:] (.*)$/\1/p" "$page")
    by=$(sed -nE 's/^Superseded by (\[[0-9]+\]\([^)]+\))\.$/\1/p' "$page")
    printf '| [%s](%s) | %s | %s |\n' "$number" "$name" "${title:-(no title)}" "${by:+superseded by }${by:-accepted}"
  done
}
# Compares index and pages of folder $1, prints what differs, and looks for pages that are not there.
pages_agree() {
  local folder=$1 code=0 target
  diff <(wanted_rows "$folder") <(grep '^| \[' "$folder/README.md") || code=1
  while read -r target; do
    if [ ! -f "$folder/$target" ]; then echo "there is no $target" && code=1; fi
  done < <(grep -ohE '\]\([0-9]{4}-[^)]+\)' "$folder"/*.md | sed -E 's/^\]\((.*)\)$/\1/' | sort -u)
  if [ -n "$(cd "$folder" && printf '%s\n' [0-9]*.md | cut -d- -f1 | uniq -d)" ]; then
    echo "two pages have one number" && code=1
  fi
  return "$code"
}
# spoilt COMMAND…: the check, on a copy in which the command was run.
spoilt() {
  rm -rf "$tmp/pages"
  cp -r "$source_dir/docs/decisions" "$tmp/pages"
  (cd "$tmp/pages" && "$@")
  pages_agree "$tmp/pages"
}
# shellcheck disable=SC2317 # called by `spoilt`
supersede() {
  sed -i '1a \\nSuperseded by [2](0002-own-command-table.md).' 0001-one-error-type.md
}
# shellcheck disable=SC2317
supersede_well() {
  supersede
  sed -i 's/^\(| \[1\].*\) accepted |$/\1 superseded by [2](0002-own-command-table.md) |/' README.md
}

expect 0 "" "the index is as the pages are" pages_agree "$source_dir/docs/decisions"
expect 1 "One more" "a page that the index lacks is found" \
  spoilt bash -c 'echo "# 9998. One more" >9998-one-more.md'
expect 1 "0001-one-error-type.md" "a page that is gone is found" spoilt rm 0001-one-error-type.md
expect 1 "Another title" "another title is found" spoilt sed -i '1s/^# 1\. .*/# 1. Another title/' 0001-one-error-type.md
expect 1 "(no title)" "another number is found" spoilt sed -i '1s/^# 1\. /# 2. /' 0001-one-error-type.md
expect 1 "superseded by [2]" "a page that is superseded and not marked so is found" spoilt supersede
expect 0 "" "and marked, it is fine" spoilt supersede_well
expect 1 "there is no 0999-nowhere.md" "a link to no page is found" \
  spoilt bash -c 'echo "See [999](0999-nowhere.md)." >>0001-one-error-type.md'
expect 1 "two pages have one number" "a number that was used twice is found" \
  spoilt cp 0001-one-error-type.md 0001-one-more-type.md

finish
