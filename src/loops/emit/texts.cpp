#include "loops/emit/texts.h"

#include <optional>
#include <utility>

#include "loops/emit/steps.h"

namespace papilio::loops {
namespace {

std::optional<TextPart> part_of(const Candidate& loop) {
  const int token = loop.source.token_at(loop.loop().position.line, loop.loop().position.column);
  return token < 0 ? std::nullopt : read_statement(loop.source, token);
}

}  // namespace

const Source& Texts::without_steps_of(Candidate loop) {
  if (loop.accesses.loops[static_cast<std::size_t>(loop.id)].own.empty()) return loop.source;
  auto part = part_of(loop);
  if (!part || part->parts.empty()) return loop.source;
  loop.part = std::move(*part);
  if (loop.finds_own()) return loop.source;
  auto text = without_steps(loop);
  if (!text) return loop.source;
  Made& made = *made_.emplace_back(std::make_unique<Made>(std::move(*text)));
  made.source = std::make_unique<Source>(made.text, file_.text(), loop.source.moved());
  return *made.source;
}

const Source* Texts::written_out(const Candidate& loop) {
  const auto part = part_of(loop);
  auto expanded = part ? macros_.written_out(*part) : std::nullopt;
  if (!expanded) return nullptr;
  Made& made = *made_.emplace_back(std::make_unique<Made>(std::move(expanded->text)));
  made.source = std::make_unique<Source>(made.text, file_.text(), std::move(expanded->moved));
  return made.source.get();
}

}  // namespace papilio::loops
