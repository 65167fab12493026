#!/usr/bin/env bash
# The layer check accepts this tree, and refuses each way of breaking it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# A small tree that follows its list; each case below breaks it in one way.
plant() {
  rm -rf "$tmp/tree"
  mkdir -p "$tmp/tree/src/base" "$tmp/tree/src/signal" "$tmp/tree/src/store"
  cat >"$tmp/tree/src/LAYERS" <<'LIST'
base   | Small values     |
signal | Reads signals    | base
store  | Keeps facts      | base signal
<sqlite3.h> | store
<yaml-cpp/> | nobody
LIST
  cat >"$tmp/tree/ARCHITECTURE.md" <<'PICTURE'
# A tree
```
store         the facts
signal        the signals
base          all else
```
Who reads it?
```
base -> store
```
PICTURE
  echo '#include <vector>' >"$tmp/tree/src/base/text.h"
  echo '#include "base/text.h"' >"$tmp/tree/src/signal/signal.cpp"
  echo '#include <sqlite3.h>' >"$tmp/tree/src/store/store.cpp"
}
check() { "$source_dir/tools/check-layers" "$tmp/tree"; }

expect 0 "" "this tree passes" "$source_dir/tools/check-layers" "$source_dir"

plant
expect 0 "" "the planted tree passes" check

plant && echo '#include "signal/signal.h"' >>"$tmp/tree/src/base/text.h"
expect 1 "src/base/text.h:2: base may not include signal" "an include of a higher folder fails" check

plant && echo '  #  include <signal/signal.h>' >>"$tmp/tree/src/base/text.h"
expect 1 "base may not include signal" "angle brackets and blanks hide nothing" check

plant && : >"$tmp/tree/src/LAYERS"
expect 1 "states no folder" "an empty list fails" check

plant && echo '# only words' >"$tmp/tree/src/LAYERS"
expect 1 "states no folder" "a list of comments fails" check

plant && rm "$tmp/tree/src/LAYERS"
expect 1 "LAYERS does not exist" "a missing list fails" check

plant && mkdir "$tmp/tree/src/new" && echo 'int x;' >"$tmp/tree/src/new/new.cpp"
expect 1 'the folder "new" is not stated' "a folder that is not stated fails" check

plant && echo '#include "new/new.h"' >>"$tmp/tree/src/signal/signal.cpp"
expect 1 '"new/new.h" is in no folder' "an include from a folder that is not stated fails" check

plant && echo '#include "../base/text.h"' >>"$tmp/tree/src/store/store.cpp"
expect 1 'in no folder' "a relative include fails" check

plant && echo '#include <sqlite3.h>' >>"$tmp/tree/src/signal/signal.cpp"
expect 1 "<sqlite3.h> belongs to store alone" "a foreign header in the wrong folder fails" check

plant && echo '#include "yaml-cpp/yaml.h"' >>"$tmp/tree/src/store/store.cpp"
expect 1 "belongs to nobody yet" "a foreign header that nobody may see fails" check

plant && sed -i '1s/|$/| store/' "$tmp/tree/src/LAYERS"
expect 1 "store is not stated above base" "a list with a circle fails" check

plant && rm "$tmp/tree/ARCHITECTURE.md"
expect 1 "ARCHITECTURE.md does not exist" "a missing picture fails" check

plant && sed -i '/^signal /d' "$tmp/tree/ARCHITECTURE.md"
expect 1 "ARCHITECTURE.md: signal has no place in the picture" "a folder that is not in the picture fails" check

plant && sed -i 's/^store  /signal  store/; /^signal   /d' "$tmp/tree/ARCHITECTURE.md"
expect 1 "store may include signal, which does not stand below it" "a picture with a user beside what it uses fails" check

plant && sed -i 's/^base  /store base/; /^store  /d' "$tmp/tree/ARCHITECTURE.md"
expect 1 "store may include signal, which does not stand below it" "a picture with a user below what it uses fails" check

plant && sed -i 's/^store  /parcels/' "$tmp/tree/ARCHITECTURE.md"
expect 1 "parcels is no folder that src/LAYERS states" "a name in the picture that is no folder fails" check

plant && sed -i 's/^base  /signal base/' "$tmp/tree/ARCHITECTURE.md"
expect 1 "signal has two places in the picture" "a folder with two places in the picture fails" check

plant && rm -r "$tmp"/tree/src/*/
expect 1 "no source files" "a tree without sources fails" check

finish
