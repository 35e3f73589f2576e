#include "papers_application.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "device.h"
#include "lda/training/parameters/dirichlet_cuda.h"
#include "lda/training/parameters/topic_counts_cuda.h"
#include "papilio/sampling.h"
#include "printed_draw.h"

namespace {

namespace lda = papilio::lda;

constexpr double alpha = 0.1, beta = 0.01;
constexpr std::int32_t width = 32;
constexpr std::uint64_t seed = 1;

// Streams of random numbers: the purpose above, the sweep below.
constexpr std::uint64_t theta_purpose = 1ull << 32, phi_purpose = 2ull << 32, draw_purpose = 3ull << 32,
                        start_purpose = 4ull << 32;

constexpr PapersSampler samplers[] = {{"collapsed", false, false},
                                      {"theta_collapsed", false, true},
                                      {"phi_collapsed", true, false},
                                      {"uncollapsed", true, true}};

std::int64_t padded(std::int32_t topics) { return (std::int64_t{topics} + 3) / 4 * 4; }

void clear(void* memory, std::int64_t bytes) {
  if (cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), static_cast<cudaStream_t>(stream())) != cudaSuccess)
    throw std::runtime_error("CUDA: clearing memory failed");
}

std::vector<std::int64_t> offsets_of(const Tokens& tokens) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(tokens.document_count) + 1);
  for (const std::int32_t d : tokens.documents) ++offsets[static_cast<std::size_t>(d) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

std::int32_t groups_of(const Tokens& tokens) { return (tokens.document_count + width - 1) / width; }

// Per document, up to a whole group: where its tokens begin, and how many they are.
std::vector<std::int32_t> first_tokens(const Tokens& tokens) {
  const std::vector<std::int64_t> offsets = offsets_of(tokens);
  std::vector<std::int32_t> first(static_cast<std::size_t>(groups_of(tokens) * width));
  for (std::size_t m = 0; m + 1 < offsets.size(); ++m) first[m] = static_cast<std::int32_t>(offsets[m]);
  return first;
}
std::vector<std::int32_t> lengths_of(const Tokens& tokens) {
  const std::vector<std::int64_t> offsets = offsets_of(tokens);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(groups_of(tokens) * width));
  for (std::size_t m = 0; m + 1 < offsets.size(); ++m)
    lengths[m] = static_cast<std::int32_t>(offsets[m + 1] - offsets[m]);
  return lengths;
}

}  // namespace

std::span<const PapersSampler> papers_samplers() { return samplers; }

Tokens sorted_by_length(const Tokens& tokens) {
  const std::vector<std::int64_t> offsets = offsets_of(tokens);
  std::vector<std::int32_t> order(static_cast<std::size_t>(tokens.document_count));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int32_t d) {
    return offsets[static_cast<std::size_t>(d) + 1] - offsets[static_cast<std::size_t>(d)];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  Tokens sorted = tokens;
  sorted.documents.clear();
  sorted.words.clear();
  for (std::size_t m = 0; m < order.size(); ++m) {
    const auto begin = tokens.words.begin() + offsets[static_cast<std::size_t>(order[m])];
    sorted.words.insert(sorted.words.end(), begin, begin + length(order[m]));
    sorted.documents.insert(sorted.documents.end(), static_cast<std::size_t>(length(order[m])),
                            static_cast<std::int32_t>(m));
  }
  return sorted;
}

template <class T>
struct PapersApplication<T>::Data {
  static constexpr bool widens = !std::is_same_v<T, float>;

  Data(const Tokens& corpus, std::int32_t topics)
      : tokens(corpus),
        K(topics),
        stride(padded(topics)),
        documents(std::int64_t{groups_of(corpus)} * width),
        offsets(offsets_of(corpus)),
        first(first_tokens(corpus)),
        lengths(lengths_of(corpus)),
        words(corpus.words),
        document_of(corpus.documents),
        z(corpus.count()),
        n_wk(corpus.vocabulary_size * stride),
        n_k(topics),
        theta_float(documents * stride),
        phi_float(corpus.vocabulary_size * stride),
        theta_wide(widens ? theta_float.size() : 0),
        phi_wide(widens ? phi_float.size() : 0),
        alphas(std::vector<double>(static_cast<std::size_t>(topics), alpha)),
        at_zero(at_zero_of(topics, stride)),
        phi_workspace(lda::drawn_phi_workspace(topics)),
        prior(topics) {
    clear(theta_float.data(), theta_float.size() * 4);
    clear(theta_wide.data(), theta_wide.size() * static_cast<std::int64_t>(sizeof(T)));
    prior.set(std::vector<double>(static_cast<std::size_t>(topics), alpha), static_cast<cudaStream_t>(stream()));
  }

  static std::vector<float> at_zero_of(std::int32_t topics, std::int64_t stride) {
    std::vector<float> at_zero(static_cast<std::size_t>(stride));
    std::fill_n(at_zero.begin(), topics, static_cast<float>(alpha));
    return at_zero;
  }

  lda::DocumentRange range() {
    lda::DocumentRange range;
    range.offsets = offsets.data();
    range.documents = tokens.document_count;
    range.tokens = tokens.count();
    range.words = words.data();
    range.z = z.data();
    range.stream = static_cast<cudaStream_t>(::stream());
    return range;
  }

  T* theta() {
    if constexpr (widens)
      return theta_wide.data();
    else
      return theta_float.data();
  }
  T* phi() {
    if constexpr (widens)
      return phi_wide.data();
    else
      return phi_float.data();
  }

  papilio::ProductWeights<T> weights() {
    const papilio::MatrixView<const T> left(theta(), documents, K, stride, 1, device());
    const papilio::MatrixView<const T> right(phi(), tokens.vocabulary_size, K, stride, 1, device());
    return {left, document_of.view(), right, words.view()};
  }

  papers::PrintedDraw<T> printed(std::uint64_t stream_number) {
    return {.groups = groups_of(tokens),
            .first = first.data(),
            .lengths = lengths.data(),
            .words = words.data(),
            .theta = theta(),
            .theta_stride = static_cast<std::int32_t>(stride),
            .phi = phi(),
            .phi_stride = static_cast<std::int32_t>(stride),
            .z = z.data(),
            .topics = K,
            .seed = seed,
            .stream = stream_number};
  }

  void make_theta(bool drawn, std::uint64_t number);
  void make_phi(bool drawn, std::uint64_t number);

  const Tokens& tokens;
  std::int32_t K;
  std::int64_t stride;     // of the rows of every table
  std::int64_t documents;  // up to a whole group
  DeviceVector<std::int64_t> offsets;
  DeviceVector<std::int32_t> first, lengths, words, document_of, z, n_wk;
  DeviceVector<std::int64_t> n_k;
  DeviceVector<float> theta_float, phi_float;
  DeviceVector<T> theta_wide, phi_wide;  // where T is not float
  DeviceVector<double> alphas;
  DeviceVector<float> at_zero;
  DeviceVector<std::int64_t> phi_workspace;
  lda::ThetaPriorOnDevice prior;
  DeviceVector<std::byte> workspace;  // of the library's methods
};

template <class T>
void PapersApplication<T>::Data::make_theta(bool drawn, std::uint64_t number) {
  if (drawn)
    lda::queue_drawn_theta(range(), {.theta = theta_float.data(),
                                     .stride = stride,
                                     .topics = K,
                                     .shape = prior.shape(),
                                     .inverse = prior.inverse(),
                                     .seed = seed,
                                     .stream = theta_purpose + number});
  else
    lda::queue_estimated_theta(range(), {.theta = theta_float.data(),
                                         .stride = stride,
                                         .topics = K,
                                         .alpha = alphas.data(),
                                         .at_zero = at_zero.data()});
  if constexpr (widens) queue_widening(theta_wide.data(), stride, theta_float.data(), stride, tokens.document_count, K);
}

template <class T>
void PapersApplication<T>::Data::make_phi(bool drawn, std::uint64_t number) {
  const auto cuda_stream = static_cast<cudaStream_t>(::stream());
  if (drawn)
    lda::queue_drawn_phi({.phi = phi_float.data(),
                          .stride = stride,
                          .n_wk = n_wk.data(),
                          .n_wk_stride = stride,
                          .words = tokens.vocabulary_size,
                          .topics = K,
                          .tokens = tokens.count(),
                          .beta = beta,
                          .seed = seed,
                          .stream = phi_purpose + number,
                          .workspace = phi_workspace.data()},
                         cuda_stream);
  else
    lda::queue_estimated_phi({.phi = phi_float.data(),
                              .stride = stride,
                              .n_wk = n_wk.data(),
                              .n_wk_stride = stride,
                              .n_k = n_k.data(),
                              .words = tokens.vocabulary_size,
                              .topics = K,
                              .beta = beta,
                              .prior_mass = beta * tokens.vocabulary_size},
                             cuda_stream);
  if constexpr (widens) queue_widening(phi_wide.data(), stride, phi_float.data(), stride, tokens.vocabulary_size, K);
}

template <class T>
PapersApplication<T>::PapersApplication(const Tokens& tokens, std::int32_t topics)
    : data_(std::make_unique<Data>(tokens, topics)) {}
template <class T>
PapersApplication<T>::~PapersApplication() = default;

template <class T>
void PapersApplication<T>::start() {
  lda::queue_initial_topics(data_->range(), data_->K, seed, start_purpose);
}

template <class T>
void PapersApplication<T>::sweep(const PapersSampler& sampler, const PapersMethod& method, std::uint64_t number) {
  Data& d = *data_;
  clear(d.n_wk.data(), d.n_wk.size() * 4);
  lda::queue_word_counts(d.range(), d.n_wk.data(), d.stride);
  if (!sampler.draws_phi) {
    clear(d.n_k.data(), d.n_k.size() * 8);
    lda::queue_topic_counts(d.range(), d.K, d.n_k.data());
  }
  d.make_theta(sampler.draws_theta, number);
  d.make_phi(sampler.draws_phi, number);
  draw(method, number);
}

template <class T>
void PapersApplication<T>::draw(const PapersMethod& method, std::uint64_t number) {
  Data& d = *data_;
  const std::uint64_t stream_number = draw_purpose + number;
  if (method.printed >= 0) return queue_printed(static_cast<papers::Printed>(method.printed), d.printed(stream_number));
  const papilio::PartialSums sums = papilio::parse_partial_sums(method.by);
  const papilio::ProductWeights<T> weights = d.weights();
  if (const std::int64_t bytes = papilio::sample_workspace_bytes(weights, sums); bytes > d.workspace.size()) {
    wait();
    d.workspace = DeviceVector<std::byte>(bytes);
  }
  papilio::SampleOptions options = {.seed = seed, .stream = stream_number, .method = sums, .cuda_stream = stream()};
  options.workspace = d.workspace.view();
  papilio::sample_categorical(weights, d.z.view(), options);
}

template <class T>
bool PapersApplication<T>::takes(const PapersMethod& method) const {
  return method.printed < 0 || has_room(static_cast<papers::Printed>(method.printed), data_->K, sizeof(T));
}

template <class T>
void PapersApplication<T>::wait() const {
  (void)data_->z.to_host(0, 1);
}

template <class T>
void PapersApplication<T>::verify(const PapersMethod& method) {
  Data& d = *data_;
  queue_whole_numbers(d.theta(), d.documents * d.stride, 1, 4);
  queue_whole_numbers(d.phi(), d.tokens.vocabulary_size * d.stride, 2, 5);
  draw({.name = "prefix", .by = "prefix"}, 0);
  const std::vector<std::int32_t> expected = d.z.to_host(0, d.z.size());
  clear(d.z.data(), d.z.size() * 4);
  draw(method, 0);
  const std::vector<std::int32_t> found = d.z.to_host(0, d.z.size());
  std::int64_t differing = 0;
  for (std::size_t t = 0; t < found.size(); ++t) differing += found[t] != expected[t];
  if (differing > 0)
    throw std::runtime_error(std::to_string(differing) + " draws by exact sums differ from those of prefix sums");
}

template <class T>
double PapersApplication<T>::log_likelihood() const {
  Data& d = *data_;
  constexpr std::size_t samples = 400;
  double sum = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t t = i * d.tokens.words.size() / samples;
    const std::int64_t m = d.tokens.documents[t], v = d.tokens.words[t];
    const std::vector<float> theta = d.theta_float.to_host(m * d.stride, d.K);
    const std::vector<float> phi = d.phi_float.to_host(v * d.stride, d.K);
    double weight = 0, total = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      weight += static_cast<double>(theta[k]) * static_cast<double>(phi[k]);
      total += static_cast<double>(theta[k]);
    }
    sum += std::log(weight / total);
  }
  return sum / samples;
}

template class PapersApplication<float>;
template class PapersApplication<double>;
