// The sequential twins of the primitives' loops: histogram, prefix sums, sort by key, and packing.
#include <stdint.h>

void histogram(int64_t n, const int32_t *restrict keys, int32_t *restrict counts) {
  for (int64_t i = 0; i < n; i++) counts[keys[i]]++;
}

void weighted_histogram(int64_t n, const int32_t *restrict keys, const int32_t *restrict weights,
                        int64_t *restrict sums) {
  for (int64_t i = 0; i < n; i++) sums[keys[i]] += weights[i];
}

// The copies of the parts added up: parts x bins.
void add_copies(int64_t bins, int64_t parts, const int32_t *restrict copies, int32_t *restrict counts) {
  for (int64_t k = 0; k < bins; k++)
    for (int64_t part = 0; part < parts; part++) counts[k] += copies[part * bins + k];
}

void exclusive_scan(int64_t n, const int32_t *restrict values, int64_t *restrict sums) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    sums[i] = sum;
    sum += values[i];
  }
  sums[n] = sum;
}

// Where the keys of each bin go: the counts' exclusive scan, moved on by every key.
void place_by_key(int64_t n, const int32_t *restrict keys, int64_t *restrict next, int64_t *restrict order) {
  for (int64_t i = 0; i < n; i++) {
    order[next[keys[i]]] = i;
    next[keys[i]] += 1;
  }
}

int64_t select_flagged(int64_t n, const uint8_t *restrict flags, int64_t *restrict chosen) {
  int64_t next = 0;
  for (int64_t i = 0; i < n; i++) {
    if (flags[i]) {
      chosen[next] = i;
      next += 1;
    }
  }
  return next;
}
