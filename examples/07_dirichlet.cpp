// Draws from Dirichlet distributions by gamma draws: theta, the topic weights of documents, one row per document. A
// batch in two pieces gives the same draws.

#include <papilio/gamma.h>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr std::int64_t documents = 100000, topics = 4;

// theta[d] ~ Dirichlet(alpha) for the documents first, first + 1, ... of the corpus.
std::vector<float> draw_theta(const std::vector<float>& alpha, std::int64_t first, std::int64_t count) {
  std::vector<float> theta(static_cast<std::size_t>(count * topics));
  // A row stride of 0: the same shapes for every row.
  papilio::sample_gamma({alpha.data(), count, topics, 0}, {theta.data(), count, topics},
                        {.seed = 7, .first_row_id = static_cast<std::uint64_t>(first)});
  for (auto row = theta.begin(); row != theta.end(); row += topics) {
    const float sum = std::accumulate(row, row + topics, 0.0f);
    for (auto entry = row; entry != row + topics; ++entry) *entry /= sum;
  }
  return theta;
}

}  // namespace

int main() {
  const std::vector<float> alpha = {0.1f, 0.2f, 0.7f, 1.0f};
  const std::vector<float> theta = draw_theta(alpha, 0, documents);

  // The mean of entry k is alpha_k over the sum of alpha, here 2.
  for (std::size_t k = 0; k < topics; ++k) {
    double mean = 0;
    for (std::size_t d = 0; d < documents; ++d) mean += static_cast<double>(theta[d * topics + k]) / documents;
    std::printf("topic %zu: mean %.2f, expected %.2f\n", k, mean, static_cast<double>(alpha[k]) / 2);
  }

  std::vector<float> pieces = draw_theta(alpha, 0, 30000);
  const std::vector<float> rest = draw_theta(alpha, 30000, documents - 30000);
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  std::printf("in two pieces: %s\n", pieces == theta ? "the same draws" : "other draws");
}
