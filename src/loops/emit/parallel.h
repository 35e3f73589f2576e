#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop as one whose iterations run in parallel, with these clauses; nothing, and `why`, where that cannot be
// written. The condition is the caller's business.
std::optional<Rewritten> in_parallel(const Candidate& candidate, const std::vector<Clause>& clauses, std::string& why);

// The OpenMP clauses that make variables private to a thread, " private(x)"; nothing, and `why`, where they cannot.
std::optional<std::string> private_clauses(const Candidate& candidate, const std::vector<Clause>& clauses,
                                           std::string& why);

// The innermost statement that stands at a place of the loop's body; nullptr if it is none of `plain` kind.
const TextPart* statement_at(const Candidate& candidate, int line, int column);

// The statement of the body that a token is in, where no branch decides whether it is reached; else null.
const TextPart* certain_statement(const Candidate& candidate, int token);

// Whether the branches of the text alone decide, in an iteration, whether an access of a plain statement happens; not
// &&, || or ?:, nor a continue before it.
bool is_decided_by_branches(const Candidate& candidate, const Access& access);

}  // namespace papilio::loops
