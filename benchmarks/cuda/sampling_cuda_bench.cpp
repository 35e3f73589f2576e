// Draws on a CUDA device, beside what the device can do at best.

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "arguments.h"
#include "cases.h"
#include "device.h"
#include "papilio/version.h"

namespace {

constexpr const char* usage =
    "usage: papilio_sampling_cuda_bench [--json FILE] [--cases LIST] [--docword FILE] [--limit SECONDS] [--quick]\n"
    "\n"
    "  --json FILE      keep all figures there\n"
    "  --cases LIST     of ceilings,batched,draws,methods,figure,gamma,forest (all)\n"
    "  --docword FILE   a corpus as UCI bag of words; draws are measured on generated ones too\n"
    "  --limit SECONDS  begin nothing new after this time\n"
    "  --quick          a few sizes only\n";

void run(const Arguments& arguments, Report& report) {
  double read_roof = 0;
  if (arguments.wants("ceilings")) read_roof = measure_ceilings(report, arguments.quick);
  if (arguments.wants("batched")) measure_batched(report, read_roof, arguments.quick);
  if (arguments.wants("forest")) measure_forest(report, arguments.quick);
  if (!arguments.wants("draws") && !arguments.wants("methods") && !arguments.wants("figure") &&
      !arguments.wants("gamma"))
    return;

  std::vector<Tokens> corpora;
  if (!arguments.docword.empty()) corpora.push_back(read_tokens(arguments.docword));
  corpora.push_back(generate_tokens("Zipf without function words", 100));
  if (arguments.wants("draws")) {
    corpora.push_back(generate_tokens("Zipf", 1));
    for (const Tokens& tokens : corpora) measure_draws(report, tokens, arguments.quick);
  }
  if (arguments.wants("gamma")) measure_gamma(report, corpora.front(), arguments.quick);
  if (arguments.wants("methods")) measure_methods(report, corpora.front(), arguments.quick);
  if (arguments.wants("figure")) measure_figure(report, corpora.front(), arguments.quick);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments = {.cases = "ceilings,batched,draws,methods,figure,gamma,forest", .takes_docword = true};
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
    std::fprintf(stderr, "papilio_sampling_cuda_bench: %s\n", e.what());
    return 1;
  }
}
