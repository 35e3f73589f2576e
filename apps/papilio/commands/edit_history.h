#pragma once

#include <cstdint>
#include <string>

#include "papilio/model.h"

// What was done to a model after training, for the command that makes it again.

// The topics that it was trained with.
std::int32_t trained_topics(const papilio::Model& model);

// What train would call the model, so that the commands below make `name` of it: `name` itself without edits.
std::string trained_name(const papilio::Model& model, const std::string& name);

// The commands that follow that of train, each on a line of its own; none without edits.
std::string edit_commands(const papilio::Model& model, const std::string& name);
