#pragma once

#include <cstdint>
#include <type_traits>

#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::warp {

// The mask of a full warp, for the instructions that ask which threads take part.
inline constexpr unsigned all_threads = 0xFFFF'FFFFu;

// Operations that only a device has. On the host they exist so that
// code written for any warp compiles there; nothing calls them.
namespace thread {

#if defined(__CUDA_ARCH__)
PAPILIO_LANEWISE int lane() {
  int l;
  asm("mov.s32 %0, %%laneid;" : "=r"(l));
  return l;
}
template <class T>
PAPILIO_LANEWISE T shuffle_xor(T x, int bits) {
  return __shfl_xor_sync(all_threads, x, bits);
}
template <class T>
PAPILIO_LANEWISE T shuffle(T x, int from) {
  if constexpr (std::is_arithmetic_v<T>) {
    return __shfl_sync(all_threads, x, from);
  } else {  // word by word
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0, "a type of whole 32-bit words");
    struct Words {
      unsigned at[sizeof(T) / 4];
    };
    Words words = __builtin_bit_cast(Words, x);
    PAPILIO_UNROLL
    for (unsigned& word : words.at) word = __shfl_sync(all_threads, word, from);
    return __builtin_bit_cast(T, words);
  }
}
PAPILIO_LANEWISE unsigned ballot(bool b) { return __ballot_sync(all_threads, b); }
PAPILIO_LANEWISE void sync() { __syncwarp(); }
PAPILIO_LANEWISE int sign_word(float x) { return __float_as_int(x); }
PAPILIO_LANEWISE int sign_word(double x) { return __double2hiint(x); }
#else
PAPILIO_LANEWISE int lane() { __builtin_unreachable(); }
template <class T>
PAPILIO_LANEWISE T shuffle_xor(T, int) {
  __builtin_unreachable();
}
template <class T>
PAPILIO_LANEWISE T shuffle(T, int) {
  __builtin_unreachable();
}
PAPILIO_LANEWISE unsigned ballot(bool) { __builtin_unreachable(); }
PAPILIO_LANEWISE void sync() {}
PAPILIO_LANEWISE int sign_word(double) { __builtin_unreachable(); }
#endif

}  // namespace thread

// The threads of a CUDA warp: a lane is a thread, and `Lanes<T>` is one T in
// each thread. All 32 threads take part in every operation, so all of them must
// take the same branches. A parameter of type `Lanes` is this thread's value;
// a plain parameter (a pointer, a count) has the same value in all threads.
template <int W>
struct CudaWarp {
  static_assert(W == 32);
  static constexpr int width = W;
  static constexpr int quads_at_once = 1;
  static constexpr int scratch_stride = W + 1;  // see collective/transpose.h

  template <class T>
  using Lanes = T;

  template <class T>
  struct Quads {
    T at[4];
    friend PAPILIO_LANEWISE Quads operator+(Quads a, Quads b) {
      PAPILIO_UNROLL
      for (int e = 0; e < 4; ++e) a.at[e] = a.at[e] + b.at[e];
      return a;
    }
  };

  // Not a bool, for which `a & b` would be an int.
  struct Mask {
    bool on;
    friend PAPILIO_LANEWISE Mask operator&(Mask a, Mask b) { return {a.on && b.on}; }
    friend PAPILIO_LANEWISE Mask operator|(Mask a, Mask b) { return {a.on || b.on}; }
    friend PAPILIO_LANEWISE Mask operator!(Mask a) { return {!a.on}; }
  };

  template <class T>
  PAPILIO_LANEWISE static T splat(T x) {
    return x;
  }
  PAPILIO_LANEWISE static std::int32_t lane_id() { return thread::lane(); }
  template <class To, class From>
  PAPILIO_LANEWISE static To convert(From a) {
    return static_cast<To>(a);
  }
  template <class To, class From>
  PAPILIO_LANEWISE static To bit_cast(From a) {
    return __builtin_bit_cast(To, a);
  }

  template <class T>
  PAPILIO_LANEWISE static Mask less(T a, T b) {
    return {a < b};
  }
  template <class T>
  PAPILIO_LANEWISE static Mask equal(T a, T b) {
    return {a == b};
  }
  PAPILIO_LANEWISE static Mask lane_has_bit(int bit) { return {(lane_id() & bit) != 0}; }
  PAPILIO_LANEWISE static std::uint64_t bits(Mask m) { return thread::ballot(m.on); }
  template <class T>
  PAPILIO_LANEWISE static T select(Mask m, T a, T b) {
    return m.on ? a : b;
  }

  PAPILIO_LANEWISE static float fma(float x, float y, float c) { return ::fmaf(x, y, c); }
  PAPILIO_LANEWISE static double fma(double x, double y, double c) { return ::fma(x, y, c); }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> fma(Quads<T> x, Quads<T> y, Quads<T> c) {
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) c.at[e] = fma(x.at[e], y.at[e], c.at[e]);
    return c;
  }

  template <class T>
  PAPILIO_LANEWISE static T shuffle_xor(T a, int bits) {
    return thread::shuffle_xor(a, bits);
  }
  template <class T>
  PAPILIO_LANEWISE static T shuffle(T a, std::int32_t from) {
    return thread::shuffle(a, from);
  }

  // f(l, a[l]) for every lane l, with the same value in all lanes.
  template <class T, class F>
  PAPILIO_LANEWISE static void for_each_lane(T a, F f) {
    PAPILIO_UNROLL
    for (int l = 0; l < W; ++l) f(l, thread::shuffle(a, l));
  }

  // In each lane, f of that lane's own values: f(a, b, ...).
  template <class F, class... T>
  PAPILIO_LANEWISE static auto apply(F f, const T&... x) {
    return f(x...);
  }

  template <class T>
  PAPILIO_LANEWISE static T load(const T* p) {
    return p[lane_id()];
  }
  template <class T>
  PAPILIO_LANEWISE static T load(const T* p, std::int64_t count) {
    return lane_id() < count ? p[lane_id()] : T{0};
  }
  template <class T>
  PAPILIO_LANEWISE static void store(T* p, T a) {
    p[lane_id()] = a;
  }
  // Lane `lane` alone does *p = a.
  template <class T>
  PAPILIO_LANEWISE static void store_lane(T* p, const T& a, int lane) {
    if (lane_id() == lane) *p = a;
  }
  template <class T>
  PAPILIO_LANEWISE static T gather(const T* p, std::int32_t index) {
    return p[index];
  }
  // After it, a lane sees what the others stored before it.
  PAPILIO_LANEWISE static void sync() { thread::sync(); }
  // Does nothing: other warps run while this one waits for memory.
  PAPILIO_LANEWISE static void prefetch(const void*) {}

  template <class T>
  PAPILIO_LANEWISE static Quads<T> zero_quads() {
    return {};
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p) {
    return four(p + 4 * lane_id());
  }
  template <class T>
  PAPILIO_LANEWISE static Quads<T> load_quads(const T* p, std::int64_t count) {
    const int first = 4 * lane_id();
    if (first + 4 <= count) return four(p + first);
    Quads<T> q = {};
    PAPILIO_UNROLL
    for (int e = 0; e < 3; ++e)
      if (first + e < count) q.at[e] = p[first + e];
    return q;
  }
  template <class T>
  PAPILIO_LANEWISE static T lane_sums(Quads<T> q) {
    return (q.at[0] + q.at[1]) + (q.at[2] + q.at[3]);
  }
  template <class T>
  PAPILIO_LANEWISE static void gather_quads(const T* const* rows, std::int32_t offset, std::int32_t size,
                                            T (&element)[4]) {
    const T* const p = rows[lane_id()] + offset;
    const Quads<T> q = offset + 4 <= size ? four(p) : Quads<T>{};
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) element[e] = offset + 4 <= size || offset + e >= size ? q.at[e] : p[e];
  }

  template <class T>
  struct Signs {
    int words = 0;  // of all values, joined by |; only the highest bit counts
  };
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, const Quads<T>& x) {
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) signs.words |= thread::sign_word(x.at[e]);
  }
  template <class T>
  PAPILIO_LANEWISE static void collect_signs(Signs<T>& signs, const Quads<T>& x, const Quads<T>& y) {
    PAPILIO_UNROLL
    for (int e = 0; e < 4; ++e) signs.words |= thread::sign_word(x.at[e]) ^ thread::sign_word(y.at[e]);
  }
  template <class T>
  PAPILIO_LANEWISE static bool any_sign(const Signs<T>& signs) {
    return thread::ballot(signs.words < 0) != 0;
  }

 private:
  // p[0] ... p[3], in loads of 16 bytes where p allows it.
  template <class T>
  PAPILIO_LANEWISE static Quads<T> four(const T* p) {
    struct alignas(16) Vector {
      T at[16 / sizeof(T)];
    };
    Quads<T> q;
    if (reinterpret_cast<std::uintptr_t>(p) % sizeof(Vector) == 0) {
      constexpr int a_vector = 16 / static_cast<int>(sizeof(T));
      PAPILIO_UNROLL
      for (int e = 0; e < 4; e += a_vector) {
        const Vector v = *reinterpret_cast<const Vector*>(p + e);
        PAPILIO_UNROLL
        for (int i = 0; i < a_vector; ++i) q.at[e + i] = v.at[i];
      }
    } else {
      PAPILIO_UNROLL
      for (int e = 0; e < 4; ++e) q.at[e] = p[e];
    }
    return q;
  }
};

static_assert(Warp<CudaWarp<32>>);

}  // namespace papilio::inline PAPILIO_TARGET::warp
