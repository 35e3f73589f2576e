# cmake -D OUTPUT=FILE -D HEADER=HEADER -D PREFIX=NAME -D "FILES=HTML;STYLE;SCRIPT..." -P embed_text.cmake: writes the
# C++ file that defines the constants NAME_html, NAME_style and NAME_script, which HEADER declares. The scripts become
# one, in the order given.
function(literal result)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} part)
    if(part MATCHES "\\)PAPILIO\"|\r|</[Ss]|<!--")
      message(FATAL_ERROR "${file} contains what ends the literal or the element that it is put into, or a CR")
    endif()
    string(APPEND text "R\"PAPILIO(${part})PAPILIO\"\n")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

list(POP_FRONT FILES html style)
file(READ ${html} page)
literal(style ${style})
literal(script ${FILES})
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace papilio::lda {

const std::string_view ${PREFIX}_html =
R\"PAPILIO(${page})PAPILIO\";
const std::string_view ${PREFIX}_style =
${style};
const std::string_view ${PREFIX}_script = \"'use strict';(() => {\\n\"
${script}\"})();\";

}  // namespace papilio::lda
")
