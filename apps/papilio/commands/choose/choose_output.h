#pragma once

#include <string>

#include "papilio/choose.h"

// What `papilio choose` prints; with `times` also the seconds, which differ from run to run.

// A table for people, and a summary of it.
void print_choose_table(const papilio::ChooseResult& result, bool times);

// One JSON object.
void print_choose_json(const papilio::ChooseResult& result, const std::string& corpus, bool times);

// One line per number of topics, with a header.
void print_choose_csv(const papilio::ChooseResult& result, bool times);
