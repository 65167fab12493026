#!/usr/bin/env bash
# install_test.sh BINARY BUILD: what `cmake --install` and the Debian package put where, and that the
# program in them runs. With CAPSULE_TEST_FULL=1 also the package of the release preset, alone in a
# root directory of its own.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
build=$2

# has TREE FILE…: each file is there, and not empty.
has() {
  local tree=$1 file
  shift
  for file in "$@"; do [ -s "$tree/$file" ] || { echo "missing: $file" && return 1; }; done
}
same() { diff <("$1/bin/capsule" generate "$2") "$1/share/$3"; }

expect 0 "" "the tree can be installed" cmake --install "$build" --prefix "$tmp/usr"
expect 0 "capsule " "the installed program runs" "$tmp/usr/bin/capsule" --version
expect 0 "" "documents and licence are installed" \
  has "$tmp/usr/share/doc/capsule" README.md ARCHITECTURE.md CHANGELOG.md LICENSE
expect 0 "" "the man page is the program's own" same "$tmp/usr" man man/man1/capsule.1
expect 0 "" "so is the completion for bash" same "$tmp/usr" bash bash-completion/completions/capsule
expect 0 "" "so is the completion for zsh" same "$tmp/usr" zsh zsh/site-functions/_capsule
expect 0 "" "so is the completion for fish" same "$tmp/usr" fish fish/vendor_completions.d/capsule.fish
for folder in prompts templates scripts workflows; do
  [ -d "$source_dir/$folder" ] || continue
  expect 0 "" "$folder are installed with their modes" \
    diff -r "$source_dir/$folder" "$tmp/usr/share/capsule/$folder"
  expect 0 "" "the programs among the $folder can be run" \
    diff <(cd "$source_dir/$folder" && find . -type f -perm -u+x | sort) \
    <(cd "$tmp/usr/share/capsule/$folder" && find . -type f -perm -u+x | sort)
done

# package BUILD FOLDER: makes the package of that build, and unpacks it in FOLDER.
package() {
  cpack --config "$1/CPackConfig.cmake" -B "$2" -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF &&
    dpkg-deb -x "$2"/capsule_*.deb "$2/root"
}
field() { dpkg-deb -f "$1"/capsule_*.deb "$2"; }

expect 0 "" "the package can be made and unpacked" package "$build" "$tmp/deb"
expect 0 "capsule " "the packaged program runs" "$tmp/deb/root/usr/bin/capsule" --version
expect 0 "git" "the package depends on git" field "$tmp/deb" Depends
expect 0 "devel" "the package is for developers" field "$tmp/deb" Section
expect 0 "" "the package follows Debian's layout" has "$tmp/deb/root/usr/share" \
  man/man1/capsule.1.gz doc/capsule/copyright doc/capsule/changelog.gz \
  zsh/vendor-completions/_capsule bash-completion/completions/capsule \
  fish/vendor_completions.d/capsule.fish

if [ -n "${CAPSULE_TEST_FULL:-}" ]; then
  release() {
    cd "$source_dir" && cmake --preset release && cmake --build --preset release &&
      package build/release "$tmp/release"
  }
  expect 0 "" "the package of the release preset can be made" release
  # unguarded: compilations without the flags that guard buffers and the stack.
  unguarded() {
    grep -F '"command"' "$source_dir/build/release/compile_commands.json" |
      grep -vE -- '-D_FORTIFY_SOURCE=3 .*-fstack-protector-strong .*-fstack-clash-protection '
  }
  expect 1 "" "all of the release is guarded" unguarded
  if [ "$EUID" -eq 0 ]; then
    # Nothing else is in that root: no library, no shell.
    expect 0 "capsule " "the released program needs no other file to run" \
      chroot "$tmp/release/root" /usr/bin/capsule --version
  fi
fi
finish
