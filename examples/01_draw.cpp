// Draws one category from each row of a matrix. Shows the statuses of rows that cannot be drawn from, and row numbers
// that let a batch be split.

#include <papilio/sampling.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

// Five rows of four weights. Weights are relative: a row need not sum to 1.
void draw_with_statuses() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weights = {
      1, 2,  3,   4,  //
      0, 0,  5,   0,  // one choice only
      0, 0,  0,   0,  // none
      1, -1, 1,   1,  // not a weight
      1, 1,  nan, 1,  // not a number
  };
  const papilio::MatrixWeights<float> rows = {{weights.data(), 5, 4}};

  std::vector<std::int32_t> drawn(5);
  std::vector<papilio::DrawStatus> status(5);
  papilio::sample_categorical(rows, drawn, {.seed = 1, .status = status});
  for (std::size_t i = 0; i < drawn.size(); ++i)
    std::printf("row %zu: %2d  %s\n", i, drawn[i], std::string(papilio::name(status[i])).c_str());
}

// A thousand rows, row i with the weights 1, 2, ..., 10 rotated by i.
std::vector<double> turned_rows() {
  std::vector<double> weights(1000 * 10);
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t k = 0; k < 10; ++k) weights[10 * i + k] = static_cast<double>((i + k) % 10 + 1);
  return weights;
}

// The draw of a row depends only on the seed, the stream, the row's number and its
// weights. So a batch drawn in pieces gives the same draws as the whole batch.
void draw_whole_and_in_pieces() {
  const std::vector<double> weights = turned_rows();
  const papilio::MatrixView<const double> matrix(weights.data(), 1000, 10);

  std::vector<std::int64_t> whole(1000);
  papilio::sample_categorical(papilio::MatrixWeights<double>{matrix}, whole, {.seed = 7, .stream = 3});

  // In two calls: the second begins with row number 613.
  std::vector<std::int64_t> pieces(1000);
  papilio::VectorView<std::int64_t> first(pieces.data(), 613), second(pieces.data() + 613, 387);
  papilio::sample_categorical(papilio::MatrixWeights<double>{{weights.data(), 613, 10}}, first,
                              {.seed = 7, .stream = 3});
  papilio::sample_categorical(papilio::MatrixWeights<double>{{weights.data() + 613 * 10, 387, 10}}, second,
                              {.seed = 7, .stream = 3, .first_row_id = 613});
  std::printf("in two pieces: %s\n", pieces == whole ? "the same draws" : "other draws");

  // Three rows picked out and in a different order, by one thread: each keeps its number.
  const std::vector<std::int32_t> picked = {999, 0, 500};
  const std::vector<std::int64_t> ids = {999, 0, 500};
  std::vector<std::int64_t> few(3);
  papilio::sample_categorical(papilio::MatrixWeights<double>{matrix, picked}, few,
                              {.seed = 7, .stream = 3, .row_ids = ids, .threads = 1});
  const bool same = few[0] == whole[999] && few[1] == whole[0] && few[2] == whole[500];
  std::printf("three of them: %s\n", same ? "the same draws" : "other draws");

  // Another stream: independent draws under the same seed.
  std::vector<std::int64_t> other(1000);
  papilio::sample_categorical(papilio::MatrixWeights<double>{matrix}, other, {.seed = 7, .stream = 4});
  int equal = 0;
  for (std::size_t i = 0; i < other.size(); ++i) equal += other[i] == whole[i];
  std::printf("another stream: %d of 1000 draws equal\n", equal);
}

}  // namespace

int main() {
  draw_with_statuses();
  draw_whole_and_in_pieces();
}
