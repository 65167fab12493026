# Run by cpack on the installed tree: what Debian's policy wants to be otherwise than elsewhere.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/capsule)

file(RENAME ${doc}/LICENSE ${doc}/copyright)
execute_process(COMMAND date -u -R -d ${CPACK_CAPSULE_DATE}
  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog
  "capsule (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * What changed for users is in CHANGELOG.md.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_capsule ${share}/zsh/vendor-completions/_capsule)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
foreach(file IN ITEMS ${doc}/changelog ${share}/man/man1/capsule.1)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# A static-pie program looks to lintian like a library that forgot its dependencies. It is static on
# purpose: docs/decisions/0003-static-release.md.
if(CPACK_CAPSULE_STATIC)
  file(MAKE_DIRECTORY ${share}/lintian/overrides)
  file(WRITE ${share}/lintian/overrides/capsule
    "# A static-pie program, not a library: it needs no other.\n"
    "capsule: shared-library-lacks-prerequisites [usr/bin/capsule]\n")
endif()
