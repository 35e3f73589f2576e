#pragma once

#include <nanobind/nanobind.h>

// The parts of the module papilio._core, a file each. The module checks nothing that the
// library checks, and keeps no state.

namespace papilio {
struct LeftOut;
struct LeftOutWords;
}

namespace papilio::python {

// The reasons that left something out, and the words of each.
using LeftOutByReason = nanobind::typed<nanobind::dict, nanobind::str, LeftOutWords>;
LeftOutByReason left_out_by_reason(const LeftOut& left_out);

void bind_errors(nanobind::module_& m);
void bind_arrays(nanobind::module_& m);
void bind_choices(nanobind::module_& m);  // the names that options can have
void bind_choose(nanobind::module_& m);   // choose_topics, topic_stability
void bind_draws(nanobind::module_& m);
void bind_jax(nanobind::module_& m);  // what XLA calls
void bind_tables(nanobind::module_& m);
void bind_primitives(nanobind::module_& m);
void bind_dynamic(nanobind::module_& m);
void bind_without_replacement(nanobind::module_& m);  // and resample
void bind_tokens(nanobind::module_& m);               // sample_tokens, verify_draft
void bind_tridiagonal(nanobind::module_& m);
void bind_left_out(nanobind::module_& m);  // the words that a reader or a model leaves out
void bind_phrases(nanobind::module_& m);   // options of phrases, before those of text
void bind_corpora(nanobind::module_& m);   // Corpus, and what reads, makes and writes one
void bind_phrase_functions(nanobind::module_& m);
void bind_models(nanobind::module_& m);         // Model
void bind_training(nanobind::module_& m);       // train, checkpoints, states of MALLET
void bind_distributed(nanobind::module_& m);    // what ranks have, and gather
void bind_visualization(nanobind::module_& m);  // what pyLDAvis shows, and the page of a report
void bind_evaluation(nanobind::module_& m);     // infer, held-out likelihoods, coherence

}  // namespace papilio::python
