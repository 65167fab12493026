# The files that the program brings along become constants of capsule_assets. Each is a dependency, and
# their list is part of the command: what is changed, added or removed is embedded anew.
file(GLOB_RECURSE assets CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  prompts/* templates/* web/* workflows/*)
list(SORT assets)
set(embedded ${PROJECT_BINARY_DIR}/generated/assets/embedded_files.cpp)
set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
list(TRANSFORM assets PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE asset_paths)
add_custom_command(OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${assets}" -DOUTPUT=${embedded} -P ${script}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  DEPENDS ${script} ${asset_paths} VERBATIM
  COMMENT "Embedding prompts, templates, the web page and workflows")
target_sources(capsule_assets PRIVATE ${embedded})
