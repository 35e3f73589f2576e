#pragma once

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/origin.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// The lines of a file that this rank reads, about as many bytes as others; the ranks' lines follow one another, and the
// first `head` lines are all rank 0's. Each rank reads its lines for their number. Collective. Throws IoError, of the
// first rank that cannot read; InvalidArgument on all where the files are not of the same size, or begin otherwise.
FilePart lines_of_rank(const Origin& origin, int head, Communicator& ranks);

}  // namespace papilio::lda
