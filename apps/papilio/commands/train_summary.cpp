#include "commands/train_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "papilio/evaluation.h"
#include "support/output.h"
#include "support/text.h"
#include "support/topic_keys.h"

namespace {

void print_sizes(const TrainSummary& summary) {
  const papilio::TrainResult& result = summary.result;
  print("documents   {}\n", grouped(summary.corpus.documents()));
  print("words       {}\n", grouped(summary.corpus.vocabulary_size()));
  print("tokens      {}\n", grouped(summary.corpus.tokens()));
  print("topics      {}\n", grouped(result.model.topics));
  print("sweeps      {}\n", grouped(result.topics.sweep));
  print("likelihood  {:.4f} nats per token (log p(w, z))\n", result.log_joint_per_token);
  if (!result.held_out.empty()) {
    const papilio::Completion& completion = result.held_out.back().completion;
    print("held out    perplexity {:.2f}, {:.6f} nats per token; {} documents, {} tokens scored\n",
          completion.perplexity(), completion.nats_per_token(), grouped(completion.documents),
          grouped(completion.tokens));
  }
  print("speed       {:.2f} million tokens per second\n", summary.tokens_per_second / 1e6);
  print("time        {}\n", clock_time(summary.seconds));
  print("model       {}\n", printable(summary.model));
  for (const auto& [what, path] : summary.others) {
    if (!path.empty()) print("{:<11} {}\n", what, printable(path));
  }
}

void print_largest_topics(const papilio::Model& model) {
  constexpr std::size_t most_topics = 5;
  constexpr int words = 8;
  const std::vector<std::int32_t> order = topics_by_share(model);
  print("\n{}", topic_table_header());
  for (std::size_t i = 0; i < std::min(order.size(), most_topics); ++i) {
    print("{}", topic_table_row(model, order[i], words));
  }
  if (order.size() > most_topics) {
    print("and {} smaller topics\n", grouped(std::ssize(order) - static_cast<std::int64_t>(most_topics)));
  }
}

}  // namespace

void print_summary(const TrainSummary& summary) {
  print_sizes(summary);
  print_largest_topics(summary.result.model);
  const std::string model = shell_word(summary.model);
  print("\nall topics:                papilio topics {}\n", model);
  print("topics of new documents:   papilio infer {} NEW.txt -o topics.tsv\n", model);
  print("quality of the topics:     papilio evaluate {} --held-out HELD-OUT.txt\n", model);
}

void tell_plan(const papilio::DevicePlan& plan, const papilio::CorpusView& corpus) {
  const auto megabytes = [](std::int64_t bytes) { return grouped((bytes + 500'000) / 1'000'000); };
  std::string line = fmt::format("{}: {} MB taken", plan.device, megabytes(plan.bytes));
  if (plan.allowed_bytes > 0) line += fmt::format(" of {} MB allowed", megabytes(plan.allowed_bytes));
  if (plan.streamed_tokens == 0) {
    line += "; all tokens stay there";
  } else {
    line += fmt::format("; {} of {} tokens are streamed from the host's memory in each sweep",
                        grouped(plan.streamed_tokens), grouped(corpus.tokens()));
  }
  if (plan.tokens_per_second > 0) {
    line += fmt::format(", at most {} million tokens per second",
                        grouped(static_cast<std::int64_t>(plan.tokens_per_second / 1e6)));
  }
  tell("{}\n", line);
}
