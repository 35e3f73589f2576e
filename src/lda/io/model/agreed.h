#pragma once

#include "base/function_ref.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Does the work of every rank, and throws on all of them where it throws an Error on one: the same kind, with the
// message of the first rank that threw, which it names. Collective; with no ranks (null), just the work.
void agreed(Communicator* ranks, base::FunctionRef<void()> work);

}  // namespace papilio::lda
