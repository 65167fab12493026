#include "event/common.h"

#include "base/enum_count.h"
#include "event/common_codec.h"

namespace capsule::event {

static_assert(kFaults == enum_count<Fault>());
static_assert(kMergeRefusals == enum_count<MergeRefusal>());
static_assert(kIntegrates == enum_count<Integrate>());
static_assert(kApprovals == enum_count<Approval>());
static_assert(kVerdicts == enum_count<Verdict>());
static_assert(kCheckEndings == enum_count<CheckEnding>());
static_assert(kBaselines == enum_count<Baseline>());

std::string_view name_of(Fault fault) { return text_of(fault); }
bool of_service(Fault fault) {
  switch (fault) {
    case Fault::rate_limited:
    case Fault::overloaded:
    case Fault::usage_limit:
    case Fault::no_credit:
    case Fault::unauthorised:
    case Fault::unreachable:
    case Fault::no_answer:
      return true;
    default:
      return false;
  }
}

TokenUse operator+(TokenUse a, const TokenUse& b) {
  a.tokens_known = a.tokens_known && b.tokens_known;
  a.input += b.input;
  a.output += b.output;
  a.cache_read += b.cache_read;
  a.cache_written += b.cache_written;
  a.cost_known = a.cost_known && b.cost_known;
  a.cost_micros += b.cost_micros;
  a.turns += b.turns;
  a.compactions += b.compactions;
  a.cache_rewrites += b.cache_rewrites;
  a.cache_untold |= b.cache_untold;
  a.compactions_untold |= b.compactions_untold;
  a.rewrites_untold |= b.rewrites_untold;
  a.written_untold |= b.written_untold;
  return a;
}

void add_known(TokenUse& sum, const TokenUse& use) {
  TokenUse known = use;
  if (!use.tokens_known) known.input = known.output = known.cache_read = known.cache_written = 0;
  if (!use.cost_known) known.cost_micros = 0;
  const bool tokens = sum.tokens_known, cost = sum.cost_known;
  sum = sum + known;
  sum.tokens_known = tokens;
  sum.cost_known = cost;
}

std::string_view name_of(MergeRefusal refusal) { return text_of(refusal); }
std::string_view name_of(Verdict verdict) { return text_of(verdict); }
std::string_view name_of(CheckEnding ending) { return text_of(ending); }
std::string_view name_of(Integrate integrate) { return text_of(integrate); }
std::string_view name_of(Baseline baseline) { return text_of(baseline); }

}  // namespace capsule::event
