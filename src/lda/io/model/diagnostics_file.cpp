#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "papilio/diagnostics.h"

namespace papilio {
namespace lda {
namespace {

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) escaped += c;  // XML 1.0 allows no other control characters
    }
  }
  return escaped;
}

}  // namespace
}  // namespace lda

void write_diagnostics(const std::vector<TopicDiagnostics>& topics, const Model& model, const std::string& path) {
  constexpr const char* caller = "papilio::write_diagnostics";
  base::require(std::ssize(topics) == model.topics,
                "{}: there are diagnostics of {} topics, expected one per topic of the model, {}", caller,
                topics.size(), model.topics);
  model.verify();
  for (std::size_t k = 0; k < topics.size(); ++k) {
    for (const TopWord& word : topics[k].top_words) {
      base::require(0 <= word.word && word.word < model.vocabulary_size(),
                    "{}: a top word of topic {} is {}, expected 0 <= word < {}", caller, k, word.word,
                    model.vocabulary_size());
    }
  }
  lda::AtomicFile file(path, caller);
  file.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n");
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  };
  for (std::size_t k = 0; k < topics.size(); ++k) {
    const TopicDiagnostics& t = topics[k];
    file.write(fmt::format(
        "<topic id='{}' tokens='{:.1f}' document_entropy='{:.4f}' word-length='{:.4f}' coherence='{:.4f}' "
        "uniform_dist='{:.4f}' corpus_dist='{:.4f}' eff_num_words='{:.4f}' rank_1_docs='{:.4f}' "
        "allocation_ratio='{:.4f}' allocation_count='{:.4f}' exclusivity='{:.4f}'>\n",
        k, static_cast<double>(t.tokens), t.document_entropy, t.mean_word_length, t.coherence, t.uniform_distance,
        t.corpus_distance, t.effective_words, ratio(t.dominated, t.documents),
        ratio(t.allocated_half, t.allocated_little), ratio(t.allocated_little, t.documents), t.exclusivity));
    double cumulative = 0;
    for (std::size_t rank = 0; rank < t.top_words.size(); ++rank) {
      const TopWord& word = t.top_words[rank];
      const auto at = static_cast<std::size_t>(word.word) * topics.size() + k;
      const double share = ratio(model.n_wk[at], t.tokens);
      cumulative += share;
      file.write(fmt::format("<word rank='{}' count='{}' prob='{:.5f}' cumulative='{:.5f}'>{}</word>\n", rank + 1,
                             model.n_wk[at], share, cumulative,
                             lda::xml_escaped(model.vocabulary[static_cast<std::size_t>(word.word)])));
    }
    file.write("</topic>\n");
  }
  file.write("</model>\n");
  file.commit();
}

}  // namespace papilio
