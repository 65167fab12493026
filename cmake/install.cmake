# Where everything goes. The man page and the completions are printed by the program itself from its
# command table, at build time.
include(GNUInstallDirs)

set(generated ${PROJECT_BINARY_DIR}/generated)
set(outputs)
foreach(pair IN ITEMS man:capsule.1 bash:capsule zsh:_capsule fish:capsule.fish)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 kind)
  list(GET pair 1 name)
  set(output ${generated}/${kind}/${name})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/${kind}
    COMMAND capsule generate ${kind} > ${output}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${output}.new ${output}
    DEPENDS capsule VERBATIM
    COMMENT "Generating ${kind}/${name}")
  list(APPEND outputs ${output})
endforeach()
add_custom_target(generated ALL DEPENDS ${outputs})

install(TARGETS capsule RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${generated}/man/capsule.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/bash/capsule
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${generated}/zsh/_capsule DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${generated}/fish/capsule.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The scripts, and to be read and changed what the program has in it, too. Templates keep their modes:
# some of their files are scripts.
foreach(folder IN ITEMS prompts templates scripts workflows)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/capsule USE_SOURCE_PERMISSIONS)
  endif()
endforeach()

# For systems that restrict user namespaces; the Debian package puts it to where it is read.
install(DIRECTORY packaging/apparmor DESTINATION ${CMAKE_INSTALL_DATADIR}/capsule)

install(FILES README.md ARCHITECTURE.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
