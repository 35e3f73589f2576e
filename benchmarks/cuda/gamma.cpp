#include "gamma.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "cases.h"
#include "device.h"
#include "lda/training/parameters/dirichlet_cuda.h"

namespace {

namespace lda = papilio::lda;

constexpr double alpha = 0.05, beta = 0.01;
constexpr std::uint64_t theta_stream = 6ull << 32 | 1, phi_stream = 7ull << 32 | 1;

// A corpus on the device whose documents have at most 16 topics each, and both tables.
class Tables {
 public:
  Tables(const Tokens& tokens, std::int32_t K)
      : tokens_(tokens),
        K_(K),
        offsets_(offsets_of(tokens)),
        z_(topics_of(tokens, K)),
        n_wk_(counts_of(tokens, K)),
        n_dk_(document_counts_of(tokens, K)),
        theta_(std::int64_t{tokens.document_count} * K),
        phi_(std::int64_t{tokens.vocabulary_size} * K),
        workspace_(lda::drawn_phi_workspace(K)),
        prior_(K) {
    prior_.set(std::vector<double>(static_cast<std::size_t>(K), alpha), static_cast<cudaStream_t>(stream()));
  }

  void queue_estimated_theta() {
    lda::DocumentRange range;
    range.offsets = offsets_.data();
    range.documents = tokens_.document_count;
    range.tokens = tokens_.count();
    range.z = z_.data();
    range.stream = static_cast<cudaStream_t>(stream());
    lda::queue_drawn_theta(range, {.theta = theta_.data(),
                                   .stride = K_,
                                   .topics = K_,
                                   .shape = prior_.shape(),
                                   .inverse = prior_.inverse(),
                                   .seed = 1,
                                   .stream = theta_stream});
  }
  void queue_estimated_phi() {
    lda::queue_drawn_phi({.phi = phi_.data(),
                          .stride = K_,
                          .n_wk = n_wk_.data(),
                          .n_wk_stride = K_,
                          .words = tokens_.vocabulary_size,
                          .topics = K_,
                          .tokens = tokens_.count(),
                          .beta = beta,
                          .seed = 1,
                          .stream = phi_stream,
                          .workspace = workspace_.data()},
                         static_cast<cudaStream_t>(stream()));
  }
  void queue_plain_theta() {
    queue_plain_gammas(n_dk_.data(), static_cast<float>(alpha), theta_.size(), 1, theta_.data());
  }
  void queue_plain_phi() { queue_plain_gammas(n_wk_.data(), static_cast<float>(beta), phi_.size(), 2, phi_.data()); }
  void queue_fill_theta() { queue_fill(theta_.data(), theta_.size()); }
  void queue_fill_phi() { queue_fill(phi_.data(), phi_.size()); }

  std::int64_t theta_entries() const { return theta_.size(); }
  std::int64_t phi_entries() const { return phi_.size(); }

  // The sum of all theta is a gamma draw of shape N + D K alpha; six standard errors.
  void verify_theta() const {
    double sum = 0;
    for (const float x : theta_.to_host(0, theta_.size())) sum += static_cast<double>(x);
    const double mean = static_cast<double>(tokens_.count()) + static_cast<double>(theta_.size()) * alpha;
    if (!(std::abs(sum - mean) < 6 * std::sqrt(mean))) throw std::runtime_error("theta has a wrong sum");
  }
  // Each topic's phi sums to 1.
  void verify_phi() const {
    std::vector<double> sums(static_cast<std::size_t>(K_));
    const std::vector<float> phi = phi_.to_host(0, phi_.size());
    for (std::size_t i = 0; i < phi.size(); ++i) sums[i % sums.size()] += static_cast<double>(phi[i]);
    for (const double sum : sums)
      if (!(std::abs(sum - 1) < 1e-4)) throw std::runtime_error("a topic's phi does not sum to 1");
  }

 private:
  static std::int32_t topic_of(const Tokens& tokens, std::size_t t, std::int32_t K) {
    const auto hash = [](std::uint32_t x) { return (x ^ x >> 15) * 0x846CA68Bu ^ x >> 7; };
    const auto document = static_cast<std::uint32_t>(tokens.documents[t]);
    return static_cast<std::int32_t>(hash(document * 16 + hash(static_cast<std::uint32_t>(t)) % 16) %
                                     static_cast<std::uint32_t>(K));
  }
  static std::vector<std::int64_t> offsets_of(const Tokens& tokens) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(tokens.document_count) + 1);
    for (const std::int32_t d : tokens.documents) ++offsets[static_cast<std::size_t>(d) + 1];
    for (std::size_t d = 1; d < offsets.size(); ++d) offsets[d] += offsets[d - 1];
    return offsets;
  }
  static std::vector<std::int32_t> topics_of(const Tokens& tokens, std::int32_t K) {
    std::vector<std::int32_t> z(tokens.words.size());
    for (std::size_t t = 0; t < z.size(); ++t) z[t] = topic_of(tokens, t, K);
    return z;
  }
  static std::vector<std::int32_t> table_of(const Tokens& tokens, const std::vector<std::int32_t>& rows,
                                            std::int64_t row_count, std::int32_t K) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(row_count * K));
    for (std::size_t t = 0; t < rows.size(); ++t)
      ++counts[static_cast<std::size_t>(std::int64_t{rows[t]} * K + topic_of(tokens, t, K))];
    return counts;
  }
  static std::vector<std::int32_t> counts_of(const Tokens& tokens, std::int32_t K) {
    return table_of(tokens, tokens.words, tokens.vocabulary_size, K);
  }
  static std::vector<std::int32_t> document_counts_of(const Tokens& tokens, std::int32_t K) {
    return table_of(tokens, tokens.documents, tokens.document_count, K);
  }

  const Tokens& tokens_;
  std::int32_t K_;
  DeviceVector<std::int64_t> offsets_;
  DeviceVector<std::int32_t> z_, n_wk_, n_dk_;
  DeviceVector<float> theta_, phi_;
  DeviceVector<std::int64_t> workspace_;
  lda::ThetaPriorOnDevice prior_;
};

template <class Queue, class Verify>
void measure(Report& report, const Tokens& tokens, std::int32_t K, const char* what, std::int64_t entries,
             const Queue& queue, const Verify& verify) {
  Record record("gamma");
  record.set("corpus", tokens.name).set("topics", K).set("what", what);
  try {
    queue();
    verify();
    const Timing timing = time_launches([&](int) { queue(); });
    report.add(record.set("ms", timing.median_ms)
                   .set("ms_best", timing.best_ms)
                   .set("launches", timing.launches)
                   .set("entries", entries)
                   .set("entries_per_second", static_cast<double>(entries) / timing.median_ms * 1e3)
                   .set("bytes_written_per_second", 4 * static_cast<double>(entries) / timing.median_ms * 1e3));
  } catch (const std::exception& e) {
    report.fail(record, e.what());
  }
}

}  // namespace

void measure_gamma(Report& report, const Tokens& tokens, bool quick) {
  const auto nothing = [] {};
  for (const std::int32_t K :
       quick ? std::vector<std::int32_t>{1024} : std::vector<std::int32_t>{1024, 128, 256, 2048}) {
    if (report.stop("gamma, K = " + std::to_string(K))) return;
    Tables tables(tokens, K);
    const std::int64_t theta = tables.theta_entries(), phi = tables.phi_entries();
    measure(
        report, tokens, K, "theta", theta, [&] { tables.queue_estimated_theta(); }, [&] { tables.verify_theta(); });
    measure(
        report, tokens, K, "phi", phi, [&] { tables.queue_estimated_phi(); }, [&] { tables.verify_phi(); });
    measure(
        report, tokens, K, "plain theta", theta, [&] { tables.queue_plain_theta(); }, [&] { tables.verify_theta(); });
    measure(
        report, tokens, K, "plain phi", phi, [&] { tables.queue_plain_phi(); }, nothing);
    measure(
        report, tokens, K, "writing theta", theta, [&] { tables.queue_fill_theta(); }, nothing);
    measure(
        report, tokens, K, "writing phi", phi, [&] { tables.queue_fill_phi(); }, nothing);
    report.save();
  }
}
