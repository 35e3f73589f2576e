#pragma once

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/origin.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// The lines of a file that this rank reads, about as many bytes as other ranks. The ranks' lines follow one another;
// the first `head` lines are all rank 0's. Each rank reads its part to count its lines. Collective. Throws IoError of
// the first rank that cannot read, and InvalidArgument on all if the files differ in size or beginning.
FilePart lines_of_rank(const Origin& origin, int head, Communicator& ranks);

}  // namespace papilio::lda
