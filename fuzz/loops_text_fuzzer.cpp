#include <cstddef>
#include <cstdint>
#include <string>

#include "input_file.h"
#include "loops/claims/claims.h"
#include "loops/source/statements.h"
#include "papilio/loops.h"

// The input is C text, or what passes for it. Its tokens lie in order and leave out nothing but white space and
// comments; statements lie within it; pages are made of whatever stands there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio::loops;
  const std::string text(as_text(data, size));
  const Source source(text);
  std::size_t at = 0;
  Report report;
  for (int t = 0; t < static_cast<int>(source.tokens().size()); ++t) {
    const Token& token = source.tokens()[static_cast<std::size_t>(t)];
    require(at <= token.begin && token.begin <= token.end && token.end <= text.size());
    require(token.kind == Token::Kind::end || token.begin < token.end);
    at = token.end;
    if (!source.is(t, "for") || report.loops.size() >= 20) continue;
    LoopReport loop;
    loop.function = "f";
    loop.variable = "i";
    const int line = source.line_of(token.begin);
    for (int column = 1; column <= 200 && loop.position.line == 0; ++column) {
      if (source.token_at(line, column) == t) loop.position = {line, column};
    }
    loop.verdict = static_cast<Verdict>(report.loops.size() % 6);
    loop.clauses = {Clause{"private", "x", ""}, Clause{"reduction", "s", "+"}};
    loop.witness = Witness{"a[1]", "flow", {line, 1}, {line + 1, 1}, {"i = 1"}, {"i = 2"}, {}};
    const auto part = read_statement(source, t);
    if (part) {
      require(part->begin == t && part->end > t && part->end < static_cast<int>(source.tokens().size()));
      (void)read_head(source, *part, "i");
    }
    report.loops.push_back(std::move(loop));
  }
  report.claims = judge_claims(text, report);
  for (const Claim& claim : report.claims) require(claim.position.line > 0 && claim.loop < 20);
  const std::string page = to_html(report, text, text);
  require(page.ends_with("</html>\n") && page.find('\0') == std::string::npos);
  require(to_sarif(report, text).find("\"2.1.0\"") != std::string::npos);
  return 0;
}
