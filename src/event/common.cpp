#include "event/common.h"

#include "event/common_codec.h"

namespace capsule::event {

std::string_view name_of(Fault fault) { return text_of(fault); }
std::string_view name_of(MergeRefusal refusal) { return text_of(refusal); }
std::string_view name_of(Verdict verdict) { return text_of(verdict); }
std::string_view name_of(CheckEnding ending) { return text_of(ending); }
std::string_view name_of(Integrate integrate) { return text_of(integrate); }
std::string_view name_of(Baseline baseline) { return text_of(baseline); }

}  // namespace capsule::event
