// The draw of a topic for every token, with the table of probabilities shared by all documents, one for each, and one for
// each token. theta is documents x topics, phi words x topics; `start` says where a document's tokens begin.
void shared_table(int documents, int topics, const int *restrict start, const int *restrict word,
                  const double *restrict theta, const double *restrict phi, const double *restrict u,
                  double *restrict p, int *restrict z) {
  for (int m = 0; m < documents; m++)
    for (int i = start[m]; i < start[m + 1]; i++) {
      double sum = 0;
      for (int k = 0; k < topics; k++) {
        sum += theta[m * topics + k] * phi[word[i] * topics + k];
        p[k] = sum;
      }
      int topic = 0;
      for (int k = 0; k < topics; k++)
        if (p[k] <= u[i] * sum) topic = topic + 1;
      z[i] = topic;
    }
}

void private_table(int documents, int topics, const int *restrict start, const int *restrict word,
                   const double *restrict theta, const double *restrict phi, const double *restrict u,
                   int *restrict z) {
  for (int m = 0; m < documents; m++) {
    double p[1024];
    for (int i = start[m]; i < start[m + 1]; i++) {
      double sum = 0;
      for (int k = 0; k < topics; k++) {
        sum += theta[m * topics + k] * phi[word[i] * topics + k];
        p[k] = sum;
      }
      int topic = 0;
      for (int k = 0; k < topics; k++)
        if (p[k] <= u[i] * sum) topic = topic + 1;
      z[i] = topic;
    }
  }
}

void count_topics(int documents, int topics, const int *restrict start, const int *restrict word,
                  const int *restrict z, int *restrict n_dk, int *restrict n_wk, int *restrict n_k) {
  for (int m = 0; m < documents; m++)
    for (int i = start[m]; i < start[m + 1]; i++) {
      n_dk[m * topics + z[i]]++;
      n_wk[word[i] * topics + z[i]]++;
      n_k[z[i]]++;
    }
}
