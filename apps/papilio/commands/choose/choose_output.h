#pragma once

#include <string>

#include "papilio/choose.h"

// What `papilio choose` prints. With `times` also the seconds, which differ from run to run.

// A table to read, and what it says.
void print_choose_table(const papilio::ChooseResult& result, bool times);

// One JSON object.
void print_choose_json(const papilio::ChooseResult& result, const std::string& corpus, bool times);

// A line for each number of topics, with a header.
void print_choose_csv(const papilio::ChooseResult& result, bool times);
