#pragma once

#include "report.h"
#include "tokens.h"

// The cases of the program. Each verifies what it draws before it times it, adds
// a record for every figure, and goes on where one fails.

// Bandwidth of copying, of reading, and of random rows. Returns the bytes per second of reading.
double measure_ceilings(Report& report, bool quick);

// Rows of a matrix; `read_roof` (bytes per second) is printed beside them.
void measure_batched(Report& report, double read_roof, bool quick);

// theta x phi for the tokens of a corpus, beside the streaming floor, K = 16 ... 4096.
void measure_draws(Report& report, const Tokens& tokens, bool quick);

// The same by each method of the papers, float and double: K = 4, 8, 16, 32,
// 48, ... 1024; or every K of 480 ... 544.
void measure_methods(Report& report, const Tokens& tokens, bool quick);
void measure_figure(Report& report, const Tokens& tokens, bool quick);

// Theta and phi drawn from their Dirichlet posteriors, for counts as sparse as a corpus' are, beside a
// plain kernel of gamma draws and the writing of the same tables.
void measure_gamma(Report& report, const Tokens& tokens, bool quick);

// Updates of trees of sums and draws from them, for one large tree and for many small ones, beside draws that read
// their row.
void measure_forest(Report& report, bool quick);
