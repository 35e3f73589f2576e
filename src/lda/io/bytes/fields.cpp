#include "lda/io/bytes/fields.h"

#include <fmt/format.h>

#include "lda/io/bytes/number.h"

namespace papilio::lda {

std::int64_t FieldLine::number(std::string_view field, const char* name, std::int64_t least, std::int64_t most) const {
  std::int64_t number = 0;
  const NumberForm form = parse_whole(field, number);
  if (form == NumberForm::whole && number >= least && number <= most) [[likely]] {
    return number;
  }
  refuse(field, form == NumberForm::none       ? fmt::format("{} is not a number", name)
                : form == NumberForm::fraction ? fmt::format("{} is not a whole number", name)
                                               : fmt::format("{} must be from {} to {}", name, least, most));
}

void FieldLine::refuse(std::string_view field, std::string_view reason) const {
  reader.format_error(field.data() - text.data() + 1,
                      fmt::format("expected \"{}\", got {} ({})", shape, lda::quoted(text), reason));
}

void FieldLine::refuse_count(std::size_t count, std::size_t expected) const {
  refuse(text.substr(text.size()), fmt::format("{} of {} fields", count, expected));
}

}  // namespace papilio::lda
