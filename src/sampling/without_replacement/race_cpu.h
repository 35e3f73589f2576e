#pragma once

#include "sampling/without_replacement/race_piece.h"
#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Weights, and logits; see race_kernel.h.
void race_weights(papilio::sampling::RacePiece<float>& piece);
void race_weights(papilio::sampling::RacePiece<double>& piece);
void race_logits(papilio::sampling::RacePiece<float>& piece);
void race_logits(papilio::sampling::RacePiece<double>& piece);

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
