#pragma once

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Does `work` on every rank. If it throws an Error on some, all ranks throw one of the same kind, with the message of
// the first rank that threw, and that rank's number. Collective; without ranks (null) it just does the work.
void agreed(Communicator* ranks, base::FunctionRef<void()> work);

// Throws InvalidArgument on every rank if the ranks' texts differ: lines "key value" of what must be the same for
// `function`. Names the first rank that differs from rank 0, and the difference. Collective.
void require_same_lines(const std::string& lines, Communicator& ranks, std::string_view function);

}  // namespace papilio::lda
