# cmake "-DFILES=a;b" -DOUTPUT=FILE.cpp -P embed.cmake: the sorted files below the current folder as
# the table of src/assets/embedded.h. A constant needs no constructor, and every compiler takes it.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND find ${FILES} -perm -u+x
  OUTPUT_VARIABLE programs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n" ";" programs "${programs}")
set(rows)
foreach(file IN LISTS FILES)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(REPLACE "\\x0a" "\\x0a\"\n    \"" bytes "${bytes}")
  set(mode 0644)
  if(file IN_LIST programs)
    set(mode 0755)
  endif()
  string(APPEND rows "    {\"${file}\", {\"${bytes}\", ${size}}, ${mode}},\n")
endforeach()
file(WRITE ${OUTPUT}
  "#include \"assets/embedded.h\"\n\n"
  "namespace capsule::assets {\n\n"
  "static constexpr Embedded kFiles[] = {\n${rows}};\n\n"
  "std::span<const Embedded> embedded_files() { return kFiles; }\n\n"
  "}  // namespace capsule::assets\n")
