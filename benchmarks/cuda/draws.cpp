#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "cases.h"
#include "ceilings.h"
#include "device.h"
#include "papilio/sampling.h"
#include "trainer_draws.h"
#include "weights.h"

namespace {

using papilio::PartialSums;

constexpr PartialSums paper_methods[] = {PartialSums::slots,
                                         PartialSums::prefix,
                                         PartialSums::transposed,
                                         PartialSums::transposed_through_scratch,
                                         PartialSums::butterfly_swap,
                                         PartialSums::butterfly_add_subtract,
                                         PartialSums::butterfly_two_pass,
                                         PartialSums::transposed_remnant_first,
                                         PartialSums::butterfly_swap_remnant_first,
                                         PartialSums::butterfly_add_subtract_remnant_first};

template <class T>
constexpr const char* type_name = std::is_same_v<T, float> ? "float" : "double";

struct DeviceTokens {
  explicit DeviceTokens(const Tokens& on_host)
      : host(on_host), documents(on_host.documents), words(on_host.words), drawn(on_host.count()) {}
  const Tokens& host;
  DeviceVector<std::int32_t> documents, words, drawn;
};

// A model of K topics for a corpus, and draws of a topic for every token.
template <class T>
class Model {
 public:
  Model(DeviceTokens& tokens, std::int64_t K)
      : tokens_(tokens), K_(K), theta_(tokens.host.document_count * K), phi_(tokens.host.vocabulary_size * K) {
    fill_weights(theta_.data(), tokens.host.document_count, K, 1);
    fill_weights(phi_.data(), tokens.host.vocabulary_size, K, 2);
  }

  std::int64_t row_bytes() const { return K_ * static_cast<std::int64_t>(sizeof(T)); }

  const T* theta() const { return theta_.data(); }
  const T* phi() const { return phi_.data(); }

  // phi once per token, theta once per document, and the numbers that say which.
  std::int64_t bytes() const {
    return (tokens_.host.count() + tokens_.host.document_count) * row_bytes() + 12 * tokens_.host.count();
  }

  void draw(PartialSums method, DeviceVector<std::byte>& workspace) {
    papilio::SampleOptions options = {.seed = 1, .method = method, .cuda_stream = stream()};
    options.workspace = workspace.view();
    papilio::sample_categorical(weights(), tokens_.drawn.view(), options);
  }
  std::int64_t workspace_bytes(PartialSums method) const { return papilio::sample_workspace_bytes(weights(), method); }

  // The share of some tokens that the CPU draws otherwise. Throws where a draw
  // has no positive weight.
  double differing_from_cpu(PartialSums method) {
    const std::int64_t bad = bad_token_draws(theta_.data(), phi_.data(), K_, tokens_.documents.data(),
                                             tokens_.words.data(), tokens_.host.count(), tokens_.drawn.data());
    if (bad != 0) throw std::runtime_error(std::to_string(bad) + " draws out of range or of weight 0");
    const std::int64_t count = std::min<std::int64_t>(256, tokens_.host.count());
    const std::int64_t begin = (tokens_.host.count() - count) / 2 / 32 * 32;  // where a block of 32 rows begins
    const std::vector<T> left = picked(theta_, tokens_.documents.data() + begin, count);
    const std::vector<T> right = picked(phi_, tokens_.words.data() + begin, count);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(count));
    const papilio::ProductWeights<T> weights = {{left.data(), count, K_}, {}, {right.data(), count, K_}, {}};
    papilio::sample_categorical(weights, expected,
                                {.seed = 1, .first_row_id = static_cast<std::uint64_t>(begin), .method = method});
    const std::vector<std::int32_t> found = tokens_.drawn.to_host(begin, count);
    std::int64_t differing = 0;
    for (std::size_t i = 0; i < found.size(); ++i) differing += found[i] != expected[i];
    return static_cast<double>(differing) / static_cast<double>(count);
  }

  // The streaming floor: the best of several ways to read the tokens' rows of
  // phi, or nothing where they are not whole vectors of 16 bytes.
  std::optional<Timing> floor(const Effort& effort) {
    if (row_bytes() % 16 != 0) return {};
    DeviceVector<std::uint32_t> sink(1);
    std::optional<Timing> best;
    for (const int lanes : {4, 8, 16, 32}) {
      if (lanes > 4 && lanes * 16 > 2 * row_bytes()) continue;
      const Timing timing = time_launches(
          [&](int) {
            queue_token_rows(phi_.data(), row_bytes(), tokens_.words.data(), tokens_.host.count(), lanes, sink.data());
          },
          effort);
      if (!best || timing.median_ms < best->median_ms) best = timing;
    }
    return best;
  }

 private:
  papilio::ProductWeights<T> weights() const {
    const auto matrix = [&](const DeviceVector<T>& m) {
      return papilio::MatrixView<const T>(m.data(), m.size() / K_, K_, K_, 1, device());
    };
    return {matrix(theta_), tokens_.documents.view(), matrix(phi_), tokens_.words.view()};
  }
  std::vector<T> picked(const DeviceVector<T>& matrix, const std::int32_t* rows, std::int64_t count) {
    DeviceVector<T> gathered(count * K_);
    gather_rows(gathered.data(), matrix.data(), K_, rows, count);
    return gathered.to_host(0, gathered.size());
  }

  DeviceTokens& tokens_;
  std::int64_t K_;
  DeviceVector<T> theta_, phi_;
};

Record token_record(const char* which, const Tokens& tokens, std::int64_t K, const char* type, const char* method) {
  Record record(which);
  record.set("corpus", tokens.name).set("topics", K).set("type", type).set("method", method);
  return record;
}

void add_times(Record& record, const Timing& timing, std::int64_t tokens, std::int64_t bytes) {
  record.set("ms", timing.median_ms)
      .set("ms_best", timing.best_ms)
      .set("launches", timing.launches)
      .set("tokens", tokens)
      .set("tokens_per_second", static_cast<double>(tokens) / timing.median_ms * 1e3)
      .set("bytes", bytes);
}

template <class T>
void measure_method(Report& report, Model<T>& model, const Tokens& tokens, const char* which, std::int64_t K,
                    PartialSums method, const Effort& effort, double floor_ms) {
  Record record = token_record(which, tokens, K, type_name<T>, std::string(papilio::name(method)).c_str());
  try {
    const std::int64_t workspace_bytes = model.workspace_bytes(method);
    DeviceVector<std::byte> workspace(workspace_bytes);
    model.draw(method, workspace);
    const double differing = model.differing_from_cpu(method);
    // Only `slots` promises the CPU's draws; the others may differ where a sum's last bit decides.
    if (differing > (method == PartialSums::slots ? 0 : 0.02))
      throw std::runtime_error("draws differ from the CPU's: " + std::to_string(100 * differing) + " %");
    const Timing timing = time_launches([&](int) { model.draw(method, workspace); }, effort);
    add_times(record, timing, tokens.count(), model.bytes());
    record.set("workspace_bytes", workspace_bytes).set("differing_from_cpu", differing);
    if (floor_ms > 0) record.set("floor_ms", floor_ms).set("floor_over_time", floor_ms / timing.median_ms);
    report.add(record);
  } catch (const std::exception& e) {
    report.fail(record, e.what());
  }
}

template <class T>
void measure_all_methods(Report& report, DeviceTokens& tokens, const char* which, std::int64_t K) {
  const Effort effort = {.seconds = 0.02, .at_least = 3, .at_most = 15};
  try {
    Model<T> model(tokens, K);
    const auto floor = model.floor(effort);
    for (const PartialSums method : paper_methods)
      measure_method(report, model, tokens.host, which, K, method, effort, floor ? floor->median_ms : 0);
  } catch (const std::exception& e) {
    report.fail(token_record(which, tokens.host, K, type_name<T>, "all"), e.what());
  }
  report.save();
}

// After a draw by `slots`: the trainer's kernel must draw the same for every token.
void measure_trainer(Report& report, DeviceTokens& tokens, const Model<float>& model, std::int32_t K, double floor_ms) {
  Record record = token_record("draws", tokens.host, K, "float", "trainer");
  try {
    TrainerDraws trainer(tokens.host, tokens.words.data(), K, model.theta(), model.phi());
    trainer.queue();
    if (trainer.z().to_host(0, tokens.host.count()) != tokens.drawn.to_host(0, tokens.host.count()))
      throw std::runtime_error("the trainer's draws differ from those of sample_categorical");
    const Timing timing = time_launches([&](int) { trainer.queue(); });
    add_times(record, timing, tokens.host.count(), model.bytes());
    report.add(record.set("floor_ms", floor_ms).set("floor_over_time", floor_ms / timing.median_ms));
  } catch (const std::exception& e) {
    report.fail(record, e.what());
  }
}

// The numbers of topics in the order in which they are measured: first those
// that show the course, then what lies between, should the time be short.
std::vector<std::int64_t> coarse_first(const std::vector<std::int64_t>& all) {
  std::vector<std::int64_t> ordered;
  for (const bool coarse : {true, false})
    for (const std::int64_t K : all)
      if ((K % 64 == 0 || K < 64) == coarse) ordered.push_back(K);
  return ordered;
}

void measure_topics(Report& report, const Tokens& tokens, const char* which, const std::vector<std::int64_t>& all) {
  DeviceTokens on_device(tokens);
  for (const std::int64_t K : coarse_first(all)) {
    if (report.stop(std::string(which) + ", K = " + std::to_string(K))) return;
    measure_all_methods<float>(report, on_device, which, K);
    measure_all_methods<double>(report, on_device, which, K);
  }
}

}  // namespace

void measure_draws(Report& report, const Tokens& tokens, bool quick) {
  DeviceTokens on_device(tokens);
  const std::vector<std::int64_t> all = {16,  32,  48,  64,  80,  96,  112,  128,  144, 176,
                                         208, 240, 256, 384, 512, 768, 1024, 2048, 4096};
  for (const std::int64_t K : all) {
    if (quick && K != 64 && K != 256 && K != 1024) continue;
    if (report.stop("draws, K = " + std::to_string(K))) return;
    try {
      Model<float> model(on_device, K);
      const Timing floor = model.floor({}).value();
      Record record = token_record("draws", tokens, K, "float", "floor");
      add_times(record, floor, tokens.count(), tokens.count() * (model.row_bytes() + 4));
      report.add(record);
      measure_method(report, model, tokens, "draws", K, PartialSums::slots, {}, floor.median_ms);
      measure_trainer(report, on_device, model, static_cast<std::int32_t>(K), floor.median_ms);
    } catch (const std::exception& e) {
      report.fail(token_record("draws", tokens, K, "float", "all"), e.what());
    }
    report.save();
  }
}

void measure_methods(Report& report, const Tokens& tokens, bool quick) {
  std::vector<std::int64_t> all = {4, 8};
  for (std::int64_t K = 16; K <= 1024; K += 16) all.push_back(K);
  if (quick) all = {16, 48, 240, 1024};
  measure_topics(report, tokens, "methods", all);
}

void measure_figure(Report& report, const Tokens& tokens, bool quick) {
  std::vector<std::int64_t> all;
  for (std::int64_t K = 480; K <= 544; K += quick ? 16 : 1) all.push_back(K);
  measure_topics(report, tokens, "figure", all);
}
