#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop as a parallel one, with these clauses; nothing, and `why`,
// if that cannot be written. The caller takes care of the condition.
std::optional<Rewritten> in_parallel(const Candidate& candidate, const std::vector<Clause>& clauses, std::string& why);

// The OpenMP clauses that make variables private to a thread, " private(x)"; nothing, and `why`, if they cannot be.
std::optional<std::string> private_clauses(const Candidate& candidate, const std::vector<Clause>& clauses,
                                           std::string& why);

// The innermost statement at a place of the loop's body; nullptr unless it is of the kind `plain`.
const TextPart* statement_at(const Candidate& candidate, int line, int column);

// The statement of the body that contains a token, if it is reached whatever branches decide; otherwise null.
const TextPart* certain_statement(const Candidate& candidate, int token);

// Whether only the text's branches decide, within an iteration, whether an access
// of a plain statement happens; not &&, || or ?:, nor a continue before it.
bool is_decided_by_branches(const Candidate& candidate, const Access& access);

}  // namespace papilio::loops
