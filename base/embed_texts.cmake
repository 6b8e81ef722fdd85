# cmake -DOUTPUT=x.cpp -DHEADER=room/x.h -DNAMESPACE=agentctl::room -DFUNCTION=x "-DTEXTS=name=file;..." -P embed_texts.cmake:
# the C++ function that HEADER declares, which gives the names and the texts of the files.
set(table "")
foreach(pair IN LISTS TEXTS)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  file(READ ${file} text)
  string(APPEND table "    {\"${name}\", R\"agentctl(${text})agentctl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed_texts.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::span<const EmbeddedText> ${FUNCTION}() {
  static constexpr EmbeddedText kTexts[] = {
${table}  };
  return kTexts;
}

}  // namespace ${NAMESPACE}
")
