#include "task/bead_words.h"

namespace capsule::task {
namespace {

std::string option(std::string_view name, std::string_view value) {
  return "--" + std::string(name) + "=" + std::string(value);
}

// Only what says something.
void add(Words& words, std::string_view name, std::string_view value) {
  if (!value.empty()) words.push_back(option(name, value));
}

Words with_reason(Words words, std::string_view reason) {
  add(words, "reason", reason);
  return words;
}

}  // namespace

Words words_to_create(const NewBead& bead) {
  Words words{"create", option("title", bead.title), option("type", bead.type),
              option("priority", std::to_string(bead.priority))};
  add(words, "parent", bead.parent);
  add(words, "description", bead.description);
  add(words, "acceptance", bead.acceptance);
  return words;
}

Words words_to_list(const engine::BeadFilter& filter) {
  Words words{"list"};
  add(words, "parent", filter.parent);
  add(words, "status", filter.status);
  if (filter.all) words.emplace_back("--all");
  return words;
}

Words words_to_update(std::string_view id, const BeadChange& change) {
  Words words{"update", std::string(id)};
  const auto set = [&](std::string_view name, const std::optional<std::string>& text) {
    if (text) words.push_back(option(name, *text));
  };
  set("title", change.title);
  set("type", change.type);
  if (change.priority) words.push_back(option("priority", std::to_string(*change.priority)));
  set("status", change.status);
  set("description", change.description);
  set("acceptance", change.acceptance);
  set("design", change.design);
  set("notes", change.notes);
  return words;
}

Words words_to_close(std::string_view id, std::string_view reason) {
  return with_reason({"close", std::string(id)}, reason);
}
Words words_to_reopen(std::string_view id, std::string_view reason) {
  return with_reason({"reopen", std::string(id)}, reason);
}

Result<int> priority_in(std::string_view text) {
  if (text.starts_with('P') || text.starts_with('p')) text.remove_prefix(1);
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '4') return text[0] - '0';
  return fail(Reason::usage, "--priority must be 0 to 4", "0 is the most urgent");
}

}  // namespace capsule::task
