// The papers' figures as printed, on a CUDA device: draws by Algorithms 1, 4 and 7 as the article of 2019 has them
// beside the library's methods, and Figures 10 to 12 with the whole application, in float and in double.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "device.h"
#include "papers_application.h"
#include "papilio/version.h"
#include "printed_draw.h"
#include "report.h"
#include "tokens.h"

namespace {

constexpr const char* usage =
    "usage: papilio_papers_bench [--json FILE] [--cases LIST] [--docword FILE] [--limit SECONDS] [--quick]\n"
    "\n"
    "  --json FILE      keep all figures there\n"
    "  --cases LIST     of draws,figure10,figure11,figure12 (all)\n"
    "  --docword FILE   a corpus as UCI bag of words; without it one of the papers' size is generated\n"
    "  --limit SECONDS  begin nothing new after this time\n"
    "  --quick          a few numbers of topics only\n";

PapersMethod printed(papers::Printed algorithm) {
  return {.name = name_of(algorithm), .printed = static_cast<int>(algorithm)};
}
PapersMethod by(const char* sums) { return {.name = sums, .by = sums}; }

const PapersMethod algorithm_1 = printed(papers::Printed::algorithm_1);
const PapersMethod algorithm_4 = printed(papers::Printed::algorithm_4);
const PapersMethod algorithm_7 = printed(papers::Printed::algorithm_7);
const PapersMethod algorithm_7_shared = printed(papers::Printed::algorithm_7_shared);
const PapersMethod slots = by("slots");

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "float" : "double";

template <class T>
Record record_of(const char* which, const Tokens& tokens, std::int32_t K, const PapersMethod& method) {
  Record record(which);
  record.set("corpus", tokens.name).set("topics", K).set("type", type_name<T>).set("method", method.name);
  return record;
}

// The draws alone, each method after it has been verified.
template <class T>
void measure_draws(Report& report, const Tokens& tokens, std::int32_t K) {
  PapersApplication<T> application(tokens, K);
  for (const PapersMethod& method :
       {algorithm_1, by("prefix"), algorithm_4, by("transposed_remnant_first"), algorithm_7, algorithm_7_shared,
        by("butterfly_add_subtract_remnant_first"), by("butterfly_two_pass"), slots}) {
    if (!application.takes(method)) continue;
    Record record = record_of<T>("draws", tokens, K, method);
    try {
      if (method.name != "slots") application.verify(method);  // whose order of the categories is another
      application.start();
      application.sweep(papers_samplers().back(), method, 1);
      const Timing timing = time_launches([&](int i) { application.draw(method, 2 + static_cast<std::uint64_t>(i)); },
                                          {.seconds = 0.03, .at_least = 3, .at_most = 15});
      report.add(record.set("ms", timing.median_ms)
                     .set("ms_best", timing.best_ms)
                     .set("launches", timing.launches)
                     .set("tokens", tokens.count()));
    } catch (const std::exception& e) {
      report.fail(record, e.what());
    }
  }
  report.save();
}

// Whole sweeps by the host's clock, after two to warm up. The first sweep is by counts of random topics, the same for
// all methods, so what they have learnt after as many sweeps can be compared.
template <class T>
void measure_application(Report& report, const Tokens& tokens, const char* figure, PapersApplication<T>& application,
                         std::int32_t K, const PapersSampler& sampler, const PapersMethod& method, int sweeps,
                         double& expected) {
  if (!application.takes(method)) return;
  Record record = record_of<T>(figure, tokens, K, method);
  record.set("sampler", sampler.name);
  try {
    application.start();
    std::uint64_t number = 1;
    for (; number <= 2; ++number) application.sweep(sampler, method, number);
    application.wait();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < sweeps; ++i) application.sweep(sampler, method, number++);
    application.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double likelihood = application.log_likelihood();
    if (expected == 0) expected = likelihood;
    if (!(std::abs(likelihood - expected) < 0.3))  // 6 standard errors of 400 tokens of standard deviation 1
      throw std::runtime_error("the likelihood " + std::to_string(likelihood) + " is not that of the first method, " +
                               std::to_string(expected));
    report.add(record.set("sweeps", sweeps)
                   .set("ms_per_sweep", seconds / sweeps * 1e3)
                   .set("seconds_per_100_sweeps", seconds / sweeps * 100)
                   .set("log_likelihood", likelihood));
  } catch (const std::exception& e) {
    report.fail(record, e.what());
  }
}

template <class T>
void measure_figure_10(Report& report, const Tokens& tokens, std::int32_t K) {
  PapersApplication<T> application(tokens, K);
  for (const PapersSampler& sampler : papers_samplers()) {
    double expected = 0;
    for (const PapersMethod& method : {algorithm_1, algorithm_4, algorithm_7, slots})
      measure_application(report, tokens, "figure10", application, K, sampler, method, 20, expected);
  }
  report.save();
}

// Figures 11 and 12: neither theta nor phi integrated out.
template <class T>
void measure_figure_11(Report& report, const Tokens& tokens, const char* figure, std::int32_t K, int sweeps) {
  PapersApplication<T> application(tokens, K);
  double expected = 0;
  for (const PapersMethod& method : {algorithm_1, algorithm_4, algorithm_7, slots})
    measure_application(report, tokens, figure, application, K, papers_samplers().back(), method, sweeps, expected);
  report.save();
}

std::vector<std::int32_t> topics_of(const std::string& figure, bool quick) {
  std::vector<std::int32_t> all;
  if (figure == "draws") all = {16, 48, 64, 128, 240, 256, 512, 768, 1024};
  if (figure == "figure10") all = {16, 48, 80, 112, 144, 176, 208, 240};
  if (figure == "figure11")
    for (std::int32_t K = 64; K <= 1024; K += 64) all.push_back(K);
  if (figure == "figure12")
    for (std::int32_t K = 480; K <= 544; K += 2) all.push_back(K);
  return quick ? std::vector<std::int32_t>{all.front(), all.back()} : all;
}

void run(const Arguments& arguments, Report& report) {
  const Tokens tokens = sorted_by_length(arguments.docword.empty() ? generate_tokens("Zipf without function words", 100)
                                                                   : read_tokens(arguments.docword));
  for (const std::string figure : {"draws", "figure10", "figure11", "figure12"}) {
    if (!arguments.wants(figure)) continue;
    for (const std::int32_t K : topics_of(figure, arguments.quick)) {
      if (report.stop(figure + ", K = " + std::to_string(K))) return;
      const auto both = [&](auto measure) {
        measure.template operator()<float>();
        measure.template operator()<double>();
      };
      if (figure == "draws") both([&]<class T>() { measure_draws<T>(report, tokens, K); });
      if (figure == "figure10") both([&]<class T>() { measure_figure_10<T>(report, tokens, K); });
      if (figure == "figure11") both([&]<class T>() { measure_figure_11<T>(report, tokens, "figure11", K, 10); });
      if (figure == "figure12") both([&]<class T>() { measure_figure_11<T>(report, tokens, "figure12", K, 5); });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments = {.cases = "draws,figure10,figure11,figure12", .takes_docword = true};
  if (!arguments.parse(argc, argv)) {
    std::fputs(usage, stderr);
    return 64;
  }
  try {
    const std::string head = describe_device() + ", \"papilio\": \"" + papilio::version() + "\"";
    Report report(arguments.json, head, arguments.limit);
    run(arguments, report);
    report.save();
    if (report.failures() > 0) std::fprintf(stderr, "%d cases failed\n", report.failures());
    return report.failures() > 0 ? 1 : 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_papers_bench: %s\n", e.what());
    return 1;
  }
}
