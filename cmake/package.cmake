# The Debian package: cpack --preset release, after building that preset.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME capsule)
set(CPACK_PACKAGE_CONTACT "Capsule developers <capsule@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "orchestrator for headless coding agents")
set(CPACK_PACKAGE_DESCRIPTION
"Capsule drives headless coding agents through workflows in which every step
ends in a structured signal. The orchestrator, never a model, decides what
happens next: it reads the signals, checks what they claim against git and
the tests, and keeps a journal from which a run can always go on.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_CAPSULE_DATE ${CAPSULE_RELEASE_DATE})
set(CPACK_CAPSULE_STATIC ${CAPSULE_STATIC})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian-layout.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS git)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/postinst ${PROJECT_SOURCE_DIR}/packaging/postrm)
if(NOT CAPSULE_STATIC)
  # Asks dpkg-shlibdeps (package dpkg-dev); the static program of the release preset needs nobody.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
