#pragma once

#include <cstdint>
#include <span>

#include "papilio/evaluation.h"

// Inference and document completion on options.device, a CUDA device: the same bits as on the CPU.
// Models, corpora and options have been checked. Defined by evaluation_cuda.cpp, or in a build
// without CUDA by evaluation_cuda_absent.cpp, which throws DeviceUnavailable. Throws DeviceError,
// with the bytes needed and free, if the words of one document do not fit on the device.

namespace papilio::lda {

// Fills result.theta and result.document_tokens, which have their final sizes.
void infer_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const InferOptions& options,
                     DocumentTopics& result);

// For each document: the number of its known tokens, and ln of the probability of those that are scored.
void score_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::span<std::int64_t> lengths, std::span<double> scores);

}  // namespace papilio::lda
