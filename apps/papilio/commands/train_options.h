#pragma once

#include "commands.h"

// `papilio train`, also by MALLET's name `train-topics`: the subcommand and its options.
void add_train(CLI::App& app, TrainArguments& arguments);
