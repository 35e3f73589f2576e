// Assignments behind && || ?:, after continue or in branches: what a scan's first pass, a copy or an atomic update may
// take of such statements. And what looks like a reduction, but is none.
int k;
static int put(int *a, int v) {
  a[k] = v;
  return v;
}
void global_step(int n, int *restrict a) {
  for (int i = 0; i < n; i++) {
    k = i;
    int s = put(a, k++);
    a[i] = 3 + s;
  }
}
void jump(int n, int *restrict a, const int *restrict b) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (b[i] > 1) continue;
    s += b[i];
    a[i] = s;
  }
}
void jump_array(int n, int *restrict a, const int *restrict b) {
  for (int i = 1; i < n; i++) {
    if (b[i] > 1) continue;
    a[i] = a[i - 1] + b[i];
  }
}
int bools(int n, const int *restrict b) {
  _Bool s = 0;
  for (int i = 0; i < n; i++) s += b[i] - 1;
  return s;
}
int boolx(int n, const int *restrict b) {
  _Bool s = 0;
  for (int i = 0; i < n; i++) s ^= b[i];
  return s;
}
int boola(int n, const int *restrict b) {
  _Bool s = 1;
  for (int i = 0; i < n; i++) s &= b[i];
  return s;
}
int last_and(int n, const int *restrict b) {
  int t = 7;
  for (int i = 0; i < n; i++) (void)(b[i] > 1 && (t = b[i]));
  return t;
}
int last_sel(int n, const int *restrict b) {
  int t = 7;
  for (int i = 0; i < n; i++) b[i] > 1 ? (t = b[i]) : 0;
  return t;
}
void arr_and(int n, int *restrict a, const int *restrict b) {
  for (int i = 1; i < n; i++) (void)(b[i] > 1 && (a[i] = a[i - 1] + b[i]));
}
void priv_and(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    (void)(b[i] > 1 && (t = b[i]));
    a[i] = t;
  }
}
void sum_and(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    (void)(b[i] > 1 && (t += b[i]));
    a[i] = t;
  }
}
void step_and(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    (void)(b[i] > 1 && t++);
    a[t] = b[i];
  }
}
void step_sel(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    a[b[i] > 1 ? t++ : t] = b[i];
  }
}
void step_and2(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    int q = b[i] > 1 && t++ < 100;
    a[t] = q;
  }
}
void decl_step(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 1; i < n; i++) {
    int q = t + (b[i] > 1 ? 1 : 0);
    t = q;
    a[i] = t;
  }
}
void needed_sel(int n, int *restrict a, const int *restrict b) {
  int t = 0, q = 0;
  for (int i = 0; i < n; i++) {
    q = b[i] > 1 ? b[i] : 1;
    t += q;
    a[i] = t;
  }
}
void cond_needed(int n, int *restrict a, const int *restrict b) {
  int t = 0, q = 0;
  for (int i = 0; i < n; i++) {
    q = 1;
    if (b[i] > 1) q = b[i];
    t += q;
    a[i] = t;
  }
}
void cond_needed2(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    int q = 1;
    if (b[i] > 1) {
      q = b[i];
    } else
      q = 3;
    t += q;
    a[i] = t;
  }
}
void op_needed(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    int q = 1;
    q += b[i];
    t += q;
    a[i] = t;
  }
}
void inner_needed(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    int q = 1;
    for (int j = 0; j < 3; j++) q = b[i] + j;
    t += q;
    a[i] = t;
  }
}
void two_decl(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    int q = 1, r = b[i];
    t += q + r;
    a[i] = t;
  }
}
static int bump(int *p) {
  *p += 1;
  return *p;
}
void call_needed(int n, int *restrict a, int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    t += bump(&b[i]);
    a[i] = t;
  }
}
void call_cond(int n, int *restrict a, int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    if (bump(&b[i]) > 2) t += 2;
    a[i] = t;
  }
}
void counter_after(int n, int *restrict a, const int *restrict b) {
  int t = 0, j = 0;
  for (int i = 0; i < n; i++) {
    for (j = 0; j < b[i]; j++) a[n * i + j] = 0;
    t += j;
    a[n * i] = t;
  }
}
void last_while(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    a[i] = t;
    int j = 0;
    while (j < 3) {
      t += b[j];
      j++;
    }
  }
}
int two_steps(int n, int *restrict a, int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3) a[t++] = i, b[t++] = i;
  }
  return t;
}
int and_steps(int n, int *restrict a, int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    (void)(b[i] > 3 && (a[t++] = i));
  }
  return t;
}
int choose_steps(int n, int *restrict a, int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    b[i] > 3 ? (t += 1) : (t += 2);
    a[i] = t;
  }
  return t;
}
void anew(int n, int *restrict a, const int *restrict b) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    (void)(b[i] > 3 && (t = 0));
    t += b[i];
    a[i] = t;
  }
}
void lin(int n, unsigned *restrict a, const int *restrict b) {
  unsigned t = 0;
  for (int i = 0; i < n; i++) {
    (void)(b[i] > 3 && (t = 3 * t + 1));
    a[i] = t;
  }
}
void hist(int n, int *restrict h, const int *restrict b) {
  for (int i = 0; i < n; i++) {
    (void)(b[i] > 3 && (h[b[i]] += 1));
  }
}
void copied(int n, int *a) {
  for (int i = 0; i < n - 1; i++) {
    (void)(a[i] > 3 && (a[i] = a[i + 1]));
  }
}
void copied2(int n, int *a) {
  for (int i = 0; i < n - 1; i++) {
    a[i] = a[i] > 3 ? a[i + 1] : 0;
  }
}
int all(int n, const int *a) {
  int s = 5;
  for (int i = 0; i < n; i++) s = s && a[i] > 2;
  return s;
}
int any(int n, const int *a) {
  int s = 5;
  for (int i = 0; i < n; i++) s = s || a[i] > 2;
  return s;
}
int largest(int n, const int *a) {
  int s = 5;
  for (int i = 0; i < n; i++) (void)(a[i] > s && (s = a[i]));
  return s;
}
int maybe_last(int n, const int *a, int *restrict c) {
  int s = 5;
  for (int i = 0; i < n; i++) {
    a[i] > 2 ? (s = a[i]) : (s = 1);
    c[i] = s;
  }
  return s;
}
// Most iterations read what none before has written.
void not_the_one_before(int n, int (*restrict m)[600]) {
  for (int i = 2; i < n; i++)
    for (int j = 0; j < n; j++) m[j + 1][n - i] = m[j][i + j] + 1;
}
// A scan in an inner loop, of an array by its second subscript.
void along_rows(int n, int (*restrict m)[600]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n && j < 600; j++) m[j][i] = m[j - 1][i] + j;
}
// What is written in the first iteration alone, the last one's copy lacks.
void first_alone_or(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[x[i]] = i;
      !(j == 0) || (b[i] = 1);
    }
}
void first_alone_and(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[x[i]] = i;
      (void)(j == 0 && (b[i] = 1));
    }
}
void first_alone_choice(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) j != 0 ? (b[x[i]] = i) : (b[i] = 1);
}
void first_alone_if(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[x[i]] = i;
      if (j == 0) b[i] = 1;
    }
}
void first_alone_down(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = n; j >= 2; j--) {
      b[x[i]] = i;
      if (j == n) b[i] = 1;
    }
}
void every_one(int n, int *restrict b, const int *restrict x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[x[i]] = i;
      if (j >= 0) b[i] = 1;
    }
}
