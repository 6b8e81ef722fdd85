# cmake -DOUTPUT=x.cpp "-DFILES=a.toml;b.toml" -P embed_profiles.cmake: a C++ table of the files' names and texts.
set(table "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND table "    {\"${name}\", R\"agentctl(${text})agentctl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from policy/profiles by embed_profiles.cmake.
#include \"policy/embedded_profiles.h\"

namespace agentctl::policy {

std::span<const EmbeddedProfile> embedded_profiles() {
  static constexpr EmbeddedProfile kProfiles[] = {
${table}  };
  return kProfiles;
}

}  // namespace agentctl::policy
")
