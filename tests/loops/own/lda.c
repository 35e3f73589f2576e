// The sequential twins of the trainer's loops.
#include <stdint.h>

// Tokens of documents, in the order of the documents: token_begin has documents + 1 entries.
void count_topics(int64_t documents, int64_t topics, const int64_t *restrict token_begin, const int32_t *restrict word,
                  const int32_t *restrict topic, int32_t *restrict n_dk, int32_t *restrict n_wk,
                  int64_t *restrict n_k) {
  for (int64_t d = 0; d < documents; d++)
    for (int64_t i = token_begin[d]; i < token_begin[d + 1]; i++) {
      n_dk[d * topics + topic[i]]++;
      n_wk[word[i] * topics + topic[i]]++;
      n_k[topic[i]]++;
    }
}

// Every token's topic anew, from the table of its document.
void relabel(int64_t documents, const int64_t *restrict token_begin, const int32_t *restrict map,
             int32_t *restrict topic) {
  for (int64_t d = 0; d < documents; d++)
    for (int64_t i = token_begin[d]; i < token_begin[d + 1]; i++) topic[i] = map[topic[i]];
}

// Where each document's tokens begin, from their numbers.
void token_offsets(int64_t documents, const int32_t *restrict tokens, int64_t *restrict token_begin) {
  token_begin[0] = 0;
  for (int64_t d = 0; d < documents; d++) token_begin[d + 1] = token_begin[d] + tokens[d];
}

// theta = (n_dk + alpha) / (n_d + K alpha).
void normalize(int64_t documents, int64_t topics, const int32_t *restrict n_dk, double alpha, double *restrict theta) {
  for (int64_t d = 0; d < documents; d++) {
    double total = 0;
    for (int64_t k = 0; k < topics; k++) total += n_dk[d * topics + k] + alpha;
    for (int64_t k = 0; k < topics; k++) theta[d * topics + k] = (n_dk[d * topics + k] + alpha) / total;
  }
}

// The tokens whose words are kept, packed; how many.
int64_t filter_tokens(int64_t tokens, const int32_t *restrict word, const uint8_t *restrict kept,
                      int32_t *restrict out) {
  int64_t next = 0;
  for (int64_t i = 0; i < tokens; i++)
    if (kept[word[i]]) out[next++] = word[i];
  return next;
}
