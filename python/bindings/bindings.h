#pragma once

#include <nanobind/nanobind.h>

// The parts of the module papilio._core, a file each. The module checks nothing that the
// library checks, and keeps no state.

namespace papilio::python {

void bind_errors(nanobind::module_& m);
void bind_arrays(nanobind::module_& m);
void bind_choices(nanobind::module_& m);  // the names that options can have
void bind_draws(nanobind::module_& m);
void bind_jax(nanobind::module_& m);  // what XLA calls
void bind_tables(nanobind::module_& m);
void bind_corpora(nanobind::module_& m);        // Corpus, and what reads, makes and writes one
void bind_models(nanobind::module_& m);         // Model
void bind_training(nanobind::module_& m);       // train, checkpoints, states of MALLET
void bind_visualization(nanobind::module_& m);  // what pyLDAvis shows
void bind_evaluation(nanobind::module_& m);     // infer, held-out likelihoods, coherence

}  // namespace papilio::python
