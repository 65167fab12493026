#!/usr/bin/env bash
# pictures_test.sh CAPSULE BUILD [pages]: the pictures of the README are those that tools/pictures makes. Of screens every
# row is compared, but for times; with `pages` those of the web page too, as the browser tests compare theirs. How long each
# bar of a timeline is differs from run to run: of the page with it there is only that it is made.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export CAPSULE_BINARY=$1 DEMO_PACE=0.3 XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache} HOME=$tmp/home
mkdir "$HOME"
kept=$source_dir/docs/pictures
words=(--screens)
if [ "${3-}" = pages ]; then
  modules=$("$source_dir/tests/web/install" --where) || exit 77
  words=()
fi

# rows FILE: the rows of a screen, with a word in the place of every time and of the bars of a merged task.
rows() {
  sed -nE 's|^<text x="[0-9]+" y="([0-9]+)"[^>]*>(.*)</text>$|\1 \2|p' "$1" |
    awk '{ y = $1; sub(/^[0-9]+ /, ""); if (y != last && NR > 1) print ""; printf "%s ", $0; last = y } END { print "" }' |
    LC_ALL=C.UTF-8 sed -E 's/\xC2\xA0/ /g; s/[0-9]+:[0-9]+:[0-9]+/CLOCK/g; s/(CLOCK )+/CLOCK /g; s/\<([0-9]+[hms] ?)+/TIME /g; s/(✓ C-[0-9]+ [A-Z][a-z]+( [a-z]+)?) .*●.*│/\1 ● │/; s/ *│ */ │ /g; s/━+ ● ► fact [0-9]+ of [0-9]+ ─+/fact N of N/; s/ +/ /g'
}
expect 0 dashboard-timeline.svg 'the pictures can be made' "$source_dir/tools/pictures" "${words[@]}" "$tmp/made"
for name in home board timeline; do
  rows "$kept/dashboard-$name.svg" >"$tmp/kept-$name"
  if [ -e "$tmp/made/dashboard-$name.svg" ]; then rows "$tmp/made/dashboard-$name.svg" >"$tmp/made-$name"; fi
  expect 0 '' "dashboard-$name.svg is what tools/pictures makes" diff "$tmp/kept-$name" "$tmp/made-$name"
  expect 0 'calculator' "rows are read of dashboard-$name.svg" cat "$tmp/kept-$name"
done
if [ -n "${modules-}" ]; then
  cp "$source_dir/tests/web/compare.mjs" "$tmp"
  ln -s "$modules" "$tmp/node_modules"
  expect 0 page-plan 'the pages are what tools/pictures makes' node "$tmp/compare.mjs" "$kept" "$tmp/made" page-inbox page-board page-plan
  expect 0 '' 'the timeline of the page is made' test -s "$tmp/made/page-timeline.png"
fi
finish
