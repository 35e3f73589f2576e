#pragma once

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Does the work of every rank, and throws on all of them where it throws an Error on one: the same kind, with the
// message of the first rank that threw, which it names. Collective; with no ranks (null), just the work.
void agreed(Communicator* ranks, base::FunctionRef<void()> work);

// Throws InvalidArgument on every rank where their texts are not the same, lines "key value" of what must be the same
// for a function, naming the first rank that differs from rank 0 and in what. Collective.
void require_same_lines(const std::string& lines, Communicator& ranks, std::string_view function);

}  // namespace papilio::lda
