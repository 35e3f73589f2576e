# cmake -D OUTPUT=FILE -D "FILES=FOLDER/catalan.txt;..." -P embed_stop_words.cmake: writes the C++ file that defines the
# table of src/lda/corpus/stop_word_texts.h, a row per file, in the order given.
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(language ${file} NAME_WE)
  file(READ ${file} text)
  if(text MATCHES "\\)PAPILIO\"|\r")
    message(FATAL_ERROR "${file} contains what ends the literal that it is put into, or a CR")
  endif()
  string(APPEND rows "    {\"${language}\", R\"PAPILIO(${text})PAPILIO\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"lda/corpus/stop_word_texts.h\"

namespace papilio::lda {
namespace {

constexpr StopWordText rows[] = {
${rows}};

}  // namespace

const std::span<const StopWordText> stop_word_texts = rows;

}  // namespace papilio::lda
")
