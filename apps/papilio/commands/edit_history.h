#pragma once

#include <cstdint>
#include <string>

#include "papilio/model.h"

// The history of a model after training, for the commands that make it again.

// The number of topics that it was trained with.
std::int32_t trained_topics(const papilio::Model& model);

// The name under which train has to write the model, so that the last of the commands below writes `name`; `name`
// itself without edits.
std::string trained_name(const papilio::Model& model, const std::string& name);

// The commands that follow train's, one per line; empty without edits.
std::string edit_commands(const papilio::Model& model, const std::string& name);
