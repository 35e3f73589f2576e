#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lda/visualization/report/page_assets.h"
#include "lda/visualization/report/report_data.h"
#include "lda/visualization/report/sha256.h"
#include "papilio/error.h"
#include "papilio/report.h"

namespace papilio {
namespace {

void replace(std::string& page, std::string_view placeholder, std::string_view text) {
  page.replace(page.find(placeholder), placeholder.size(), text);
}

std::string source_hash(std::string_view text) { return fmt::format("'sha256-{}'", lda::base64(lda::sha256(text))); }

}  // namespace

std::string report_page(const Model& model, const ReportOptions& options, const ReportDocuments* documents,
                        const ReportOrigin& origin) {
  const std::string data = lda::report_data(model, options, documents, origin);
  // Allows only this script and this style: no requests, no frames, no forms, and no text that becomes markup.
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'",
      source_hash(lda::page_script), source_hash(lda::page_style));
  std::string page(lda::page_html);
  page.reserve(page.size() + lda::page_style.size() + lda::page_script.size() + data.size() + policy.size());
  replace(page, "{policy}", policy);
  replace(page, "{style}", lda::page_style);
  replace(page, "{script}", lda::page_script);
  replace(page, "{data}", data);
  return page;
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("papilio::sha256_of_file: cannot open {}", path), ENOENT);
  lda::RunningSha256 hash;
  std::vector<char> bytes(std::size_t{1} << 20);
  while (file) {
    file.read(bytes.data(), std::ssize(bytes));
    hash.update({bytes.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) throw IoError(fmt::format("papilio::sha256_of_file: cannot read {}", path), EIO);
  std::string digits;
  for (const std::uint8_t byte : hash.digest()) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace papilio
