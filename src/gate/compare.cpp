#include "gate/compare.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace capsule::gate {
namespace {

// A test that failed and one that passed have both been run.
void both(Compared& result, const std::string& name, TestState before, TestState now) {
  const bool passed = before == TestState::passed;
  switch (now) {
    case TestState::passed:
      if (passed)
        ++result.still_passing;
      else
        result.mended.push_back(name);
      return;
    case TestState::failed:
      (passed ? result.broken : result.still_failing).push_back(name);
      return;
    case TestState::skipped:
      result.skipped.push_back(name);
      return;
  }
}

void added(Compared& result, const std::string& name, TestState now) {
  auto& list = now == TestState::passed   ? result.new_passing
               : now == TestState::failed ? result.new_failing
                                          : result.new_skipped;
  list.push_back(name);
}

// Random or dated parameters make new names in each run. As many as are gone may take their place.
void pair_parameters(Compared& result, const TestReport& before, const TestReport& now) {
  std::multimap<std::string_view, std::string> fresh;
  for (auto* list : {&result.new_passing, &result.new_failing, &result.new_skipped})
    for (const std::string& name : *list)
      if (const auto stem = without_parameters(name); !stem.empty()) fresh.emplace(stem, name);
  if (fresh.empty()) return;
  std::vector<std::string> gone;
  for (const std::string& name : result.gone) {
    const auto found = fresh.find(without_parameters(name));
    if (found == fresh.end()) {
      gone.push_back(name);
      continue;
    }
    const std::string taken = found->second;
    fresh.erase(found);
    for (auto* list : {&result.new_passing, &result.new_failing, &result.new_skipped})
      std::erase(*list, taken);
    both(result, taken, *before.find(name), *now.find(taken));
  }
  result.gone = std::move(gone);
}

}  // namespace

std::string_view without_parameters(std::string_view name) {
  return name.ends_with(']') ? name.substr(0, name.find('[')) : std::string_view();
}

Compared compare(const TestReport& before, const TestReport& now) {
  Compared result;
  auto a = before.tests.begin();
  auto b = now.tests.begin();
  while (a != before.tests.end() || b != now.tests.end()) {
    const bool only_before = b == now.tests.end() || (a != before.tests.end() && a->name < b->name);
    const bool only_now = a == before.tests.end() || (b != now.tests.end() && b->name < a->name);
    if (only_before) {
      if (a->state != TestState::skipped) result.gone.push_back(a->name);
      ++a;
    } else if (only_now) {
      added(result, b->name, b->state);
      ++b;
    } else {
      if (a->state == TestState::skipped)
        added(result, b->name, b->state);
      else
        both(result, b->name, a->state, b->state);
      ++a;
      ++b;
    }
  }
  if (!result.gone.empty()) pair_parameters(result, before, now);
  return result;
}

std::vector<std::string> words_in(std::string_view text) {
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > i) words.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool explained_by(const std::string& test, const std::vector<std::string>& vanished) {
  const std::vector<std::string> words = words_in(test);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::binary_search(vanished.begin(), vanished.end(), word);
  });
}

}  // namespace capsule::gate
