#pragma once

#include <cstdint>
#include <span>

#include "papilio/evaluation.h"

// Inference and document completion on options.device, a CUDA device, for models, corpora and options that have been
// checked: the same bits as on the CPU. Defined by evaluation_cuda.cpp, or by evaluation_cuda_absent.cpp in a build
// without CUDA, which throws DeviceUnavailable. Throws DeviceError where the device has no room for the words of one
// document, with the bytes needed and free.

namespace papilio::lda {

// Fills result.theta and result.document_tokens, which have their sizes.
void infer_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const InferOptions& options,
                     DocumentTopics& result);

// For each document, how many known tokens it has and ln of the probability of those that are scored.
void score_on_device(const Model& model, const CorpusView& corpus, const WordMap& map, const CompletionOptions& options,
                     std::span<std::int64_t> lengths, std::span<double> scores);

}  // namespace papilio::lda
