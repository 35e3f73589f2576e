#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "lock.h"
#include "papilio/device.h"
#include "papilio/version.h"
#include "ranks.h"

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of papilio; use the names that `papilio` itself offers.";
  papilio::python::bind_errors(m);
  m.def("version", &papilio::version);
  m.def("cpu_targets", &papilio::cpu_targets);
  m.def("cpu_target", &papilio::cpu_target);
  m.def("default_threads", &papilio::default_threads);
  m.def("describe_cuda_devices", &papilio::describe_cuda_devices);
  papilio::python::bind_lock(m);
  papilio::python::bind_arrays(m);
  papilio::python::bind_choices(m);
  papilio::python::bind_draws(m);
  papilio::python::bind_jax(m);
  papilio::python::bind_tables(m);
  papilio::python::bind_primitives(m);
  papilio::python::bind_dynamic(m);
  papilio::python::bind_without_replacement(m);
  papilio::python::bind_tokens(m);
  papilio::python::bind_tridiagonal(m);
  papilio::python::bind_left_out(m);
  papilio::python::bind_phrases(m);
  papilio::python::bind_corpora(m);
  papilio::python::bind_phrase_functions(m);
  papilio::python::bind_models(m);
  papilio::python::bind_ranks(m);
  papilio::python::bind_training(m);
  papilio::python::bind_distributed(m);
  papilio::python::bind_evaluation(m);
  papilio::python::bind_visualization(m);
  papilio::python::bind_choose(m);
}
