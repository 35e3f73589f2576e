#include "commands/train_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "papilio/diagnostics.h"
#include "papilio/mallet.h"
#include "papilio/npy.h"
#include "support/exit_code.h"
#include "support/text.h"

namespace {

// Posterior means of the documents' topics: (n_dk + alpha_k) / (n_d + the sum of alpha).
void write_document_topics(const DocumentTopicsOutput& output, const papilio::CorpusView& corpus,
                           const papilio::TrainResult& result) {
  const std::vector<double>& alpha = result.model.alpha;
  const double alpha_sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  std::vector<std::int64_t> n_dk(alpha.size());
  std::vector<float> theta(alpha.size());
  DocumentTopicsFile file(output, corpus, result.model.topics);
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    std::fill(n_dk.begin(), n_dk.end(), 0);
    for (std::int64_t i = corpus.document_offsets[d]; i < corpus.document_offsets[d + 1]; ++i) {
      ++n_dk[static_cast<std::size_t>(result.topics.z[static_cast<std::size_t>(i)])];
    }
    const double all = static_cast<double>(corpus.document_offsets[d + 1] - corpus.document_offsets[d]) + alpha_sum;
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      theta[k] = static_cast<float>((static_cast<double>(n_dk[k]) + alpha[k]) / all);
    }
    file.add(theta.data());
  }
  file.commit();
}

void write_phi(const papilio::Model& model, const std::string& path) {
  TextFile file(path);
  file.write(papilio::npy_header("<f4", {model.topics, model.vocabulary_size()}));
  std::vector<float> row(model.vocabulary.size());
  for (std::int32_t k = 0; k < model.topics; ++k) {
    for (std::size_t w = 0; w < row.size(); ++w) {
      row[w] = static_cast<float>(model.phi(static_cast<std::int64_t>(w), k));
    }
    file.write(std::string(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float)));
  }
  file.commit();
}

// As MALLET does: every topic with every word.
void write_weights(const papilio::Model& model, const std::string& path) {
  TextFile file(path);
  std::string lines;
  for (std::int32_t k = 0; k < model.topics; ++k) {
    lines.clear();
    for (std::int64_t w = 0; w < model.vocabulary_size(); ++w) {
      const std::int64_t n =
          std::int64_t{model.n_wk[static_cast<std::size_t>(w * model.topics + k)]} + model.seed_weight(w, k);
      fmt::format_to(std::back_inserter(lines), "{}\t{}\t{}\n", k, model.vocabulary[static_cast<std::size_t>(w)],
                     static_cast<double>(n) + model.beta);
    }
    file.write(lines);
  }
  file.commit();
}

}  // namespace

std::vector<NamedOutput> named_outputs(const TrainOutputs& outputs) {
  return {{"--output-doc-topics", outputs.document_topics.path},
          {"--topic-word-weights-file", outputs.topic_words},
          {"--output-state", outputs.state},
          {"--diagnostics-file", outputs.diagnostics}};
}

bool are_empty(const TrainOutputs& outputs) {
  const std::vector<NamedOutput> all = named_outputs(outputs);
  return std::all_of(all.begin(), all.end(), [](const NamedOutput& output) { return output.path.empty(); });
}

bool needs_words(const TrainOutputs& outputs) { return !outputs.state.empty() || !outputs.diagnostics.empty(); }

void require_writable(const TrainOutputs& outputs, const papilio::CorpusView& corpus) {
  if (outputs.state.empty()) {
    return;
  }
  const std::vector<std::int64_t> no_tokens(corpus.document_offsets.size());  // a rank has no words but its own
  try {
    papilio::require_mallet_names({no_tokens, {}, corpus.vocabulary, corpus.document_names});  // blanks separate fields
  } catch (const papilio::InvalidArgument& error) {
    throw CommandError(ExitCode::bad_data,
                       fmt::format("--output-state {}: {}", outputs.state, without_caller(error.what())));
  }
}

void write_outputs(const TrainOutputs& outputs, const papilio::CorpusView& corpus, const papilio::TrainResult& result,
                   int top_words) {
  const papilio::Model& model = result.model;
  const std::int64_t table = model.vocabulary_size() * model.topics;
  const auto write = [](const std::string& path, std::int64_t bytes, auto&& work) {
    if (!path.empty()) {
      writing(path, bytes, work);
    }
  };
  write(outputs.document_topics.path, 8 * corpus.documents() * model.topics,
        [&] { write_document_topics(outputs.document_topics, corpus, result); });
  write(outputs.topic_words, 8 * table, [&] {
    outputs.topic_words.ends_with(".npy") ? write_phi(model, outputs.topic_words)
                                          : write_weights(model, outputs.topic_words);
  });
  write(outputs.state, 8 * corpus.tokens(),
        [&] { papilio::write_mallet_state(corpus, result.topics.z, model.alpha, model.beta, outputs.state); });
  write(outputs.diagnostics, std::int64_t{100} * model.topics * top_words, [&] {
    papilio::write_diagnostics(papilio::diagnose_topics(corpus, result.topics.z, model, top_words), model,
                               outputs.diagnostics);
  });
}
