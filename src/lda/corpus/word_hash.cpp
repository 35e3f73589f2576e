#include "lda/corpus/word_hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace papilio::lda {
namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1, v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1, v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  template <int rounds>
  void absorb(std::uint64_t bits) {
    v3 ^= bits;
    for (int i = 0; i < rounds; ++i) round();
    v0 ^= bits;
  }
};

HashKey drawn_key() {
  std::random_device device;
  const auto bits = [&] { return std::uint64_t{device()} << 32 | device(); };
  return {bits(), bits()};
}

}  // namespace

template <int rounds, int last_rounds>
std::uint64_t sip_hash(std::string_view text, HashKey key) {
  SipState state = {key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d, key.low ^ 0x6c7967656e657261,
                    key.high ^ 0x7465646279746573};
  const std::uint64_t length = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, text.data(), 8);
    state.absorb<rounds>(bits);
  }
  std::uint64_t last = length << 56;
  for (std::size_t i = 0; i < text.size(); ++i) last |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  state.absorb<rounds>(last);
  state.v2 ^= 0xff;
  for (int i = 0; i < last_rounds; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

template std::uint64_t sip_hash<1, 3>(std::string_view, HashKey);
template std::uint64_t sip_hash<2, 4>(std::string_view, HashKey);

std::size_t WordHash::operator()(std::string_view word) const {
  static const HashKey key = drawn_key();
  return static_cast<std::size_t>(sip_hash<1, 3>(word, key));
}

}  // namespace papilio::lda
