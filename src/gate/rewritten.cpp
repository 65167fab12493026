#include "gate/rewritten.h"

#include <algorithm>
#include <iterator>

#include "gate/compare.h"

namespace capsule::gate {

Result<RewrittenTests> rewritten_tests(const std::vector<Changed>& changes, const std::string& from,
                                       const std::string& to,
                                       const std::function<bool(std::string_view)>& is_test_file,
                                       const TextOf& text_of) {
  RewrittenTests result;
  std::string before, after;
  for (const Changed& change : changes) {
    const std::string& old = change.from.empty() ? change.path : change.from;
    if (change.status == 'A' || !is_test_file(old)) continue;
    result.files.push_back(old);
    before += TRY(text_of(from, old)) + "\n";
    after += TRY(text_of(to, change.path)) + "\n";
  }
  const std::vector<std::string> was = words_in(before), is = words_in(after);
  std::set_difference(was.begin(), was.end(), is.begin(), is.end(),
                      std::back_inserter(result.vanished));
  return result;
}

}  // namespace capsule::gate
