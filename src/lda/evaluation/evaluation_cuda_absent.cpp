#include <fmt/format.h>

#include "lda/evaluation/evaluation_on_device.h"
#include "papilio/error.h"

// Replaces evaluation_cuda.cpp in a build without CUDA, where no Device is a CUDA device.

namespace papilio::lda {

void infer_on_device(const Model&, const CorpusView&, const WordMap&, const InferOptions& options, DocumentTopics&) {
  throw DeviceUnavailable(
      fmt::format("papilio::infer: {} was asked for, but this build has no CUDA support", options.device.name()));
}

void score_on_device(const Model&, const CorpusView&, const WordMap&, const CompletionOptions& options,
                     std::span<std::int64_t>, std::span<double>) {
  throw DeviceUnavailable(fmt::format(
      "papilio::complete_documents: {} was asked for, but this build has no CUDA support", options.device.name()));
}

}  // namespace papilio::lda
