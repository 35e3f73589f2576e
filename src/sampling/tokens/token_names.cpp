#include "base/choices.h"
#include "papilio/tokens.h"

namespace papilio {
namespace {

constexpr Choice<TokenStatus> statuses[] = {
    {TokenStatus::ok, "ok", "a token was drawn"},
    {TokenStatus::nothing_allowed, "nothing_allowed", "every logit is masked or -infinity"},
    {TokenStatus::not_a_number, "not_a_number", "an allowed logit is NaN"},
    {TokenStatus::infinite, "infinite", "an allowed logit is +infinity"},
    {TokenStatus::bad_filter, "bad_filter", "a temperature, top_k, top_p or min_p is out of its range"},
    {TokenStatus::bad_bias, "bad_bias", "an offset or a category of the bias is out of range or order"},
    {TokenStatus::bad_draft, "bad_draft", "an offset, a token or a probability of the draft is out of range"},
};

constexpr Choice<DraftRule> rules[] = {
    {DraftRule::token, "token", "token by token"},
    {DraftRule::block, "block", "the draft as a whole: accepts at least as many tokens on average"},
};

}  // namespace

std::span<const Choice<TokenStatus>> token_statuses() noexcept { return statuses; }
std::string_view name(TokenStatus status) noexcept { return base::name_in(statuses, status); }

std::span<const Choice<DraftRule>> draft_rules() noexcept { return rules; }
std::string_view name(DraftRule rule) noexcept { return base::name_in(rules, rule); }
DraftRule parse_draft_rule(std::string_view name) {
  return base::parse_in(rules, name, "parse_draft_rule", "draft rule");
}

}  // namespace papilio
