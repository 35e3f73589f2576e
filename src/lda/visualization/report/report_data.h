#pragma once

#include <string>

#include "papilio/report.h"

namespace papilio::lda {

// What the page shows, as one JSON object that may be put into a <script> of an HTML page. page/data.js reads it.
//
//   title
//   model    topics, words, tokens, beta
//   words    strings, most frequent first; totals: tokens of each; spread: [topic, per mille of them, ...] of each
//   topics   k by k: n (tokens), x, y, r (in 1/10,000 of the map's longer side), w: [word, n_wk, ...] by relevance,
//            near: [topic, divergence in 1/1,000 bits, ...], docs: [index in documents, ...], g: [1/10,000 of the
//            tokens of each group], label: if it has one
//   map      width and height of the map, in the units of x
//   documents  d (number), name, text, t: [topic, per mille, ...]; wordy: text is frequent words, not text
//   groups   name, dates (whether they are periods), names, tokens; or null
//   origin   facts: [[name, value], ...], command, likelihood: [[sweep, nats], ...]
//
// Throws InvalidArgument as `report_page` does.
std::string report_data(const Model& model, const ReportOptions& options, const ReportDocuments* documents,
                        const ReportOrigin& origin);

}  // namespace papilio::lda
