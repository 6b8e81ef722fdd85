# cmake -DOUTPUT=x.cpp -DDIRECTORY=packaging/completions -P embed_scripts.cmake: a C++ table of the scripts in it.
set(table "")
foreach(pair bash=agentctl.bash zsh=_agentctl fish=agentctl.fish)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 shell)
  list(GET pair 1 file)
  file(READ ${DIRECTORY}/${file} text)
  string(APPEND table "    {\"${shell}\", R\"agentctl(${text})agentctl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from packaging/completions by embed_scripts.cmake.
#include \"manager/completion/shell_scripts.h\"

namespace agentctl::manager {

std::span<const ShellScript> shell_scripts() {
  static constexpr ShellScript kScripts[] = {
${table}  };
  return kScripts;
}

}  // namespace agentctl::manager
")
