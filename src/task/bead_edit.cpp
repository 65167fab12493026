#include "task/bead_edit.h"

#include "base/text.h"
#include "json/places.h"
#include "json/text.h"

namespace capsule::task {
namespace {

constexpr std::size_t kMaxTitleBytes = 2000;

std::string without_member(std::string object, std::string_view key) {
  for (;;) {
    const auto members = json::object_at(object, 0);
    std::size_t index = 0;
    while (members && index < members->items.size() && members->items[index].key != key) ++index;
    if (!members || index == members->items.size()) return object;
    object = members->items.size() == 1 ? json::without_only_item(object, *members)
                                        : json::without_item(object, *members, index);
  }
}

std::string with_text(std::string object, std::string_view key,
                      const std::optional<std::string>& text) {
  if (!text) return object;
  return text->empty() ? without_member(std::move(object), key)
                       : json::with_member(object, key, json::quoted(*text));
}

std::string with_status(std::string object, std::string_view status, std::string_view now) {
  object = json::with_member(object, "status", json::quoted(status));
  if (status == "closed") return json::with_member(object, "closed_at", json::quoted(now));
  return without_member(without_member(std::move(object), "closed_at"), "close_reason");
}

bool is_closed_object(std::string_view object) {
  const auto members = json::object_at(object, 0);
  const auto* status = members ? members->find("status") : nullptr;
  return status != nullptr && status->value.in(object) == "\"closed\"";
}

}  // namespace

bool BeadChange::empty() const {
  return !title && !type && !priority && !status && !description && !acceptance && !design &&
         !notes;
}

Result<void> check_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return fail(Reason::usage, "the text of a bead must be UTF-8");
    text.remove_prefix(length);
  }
  return {};
}

Result<void> check_title(std::string_view title) {
  if (trimmed(title).empty()) return fail(Reason::usage, "a bead needs a title");
  if (title.size() > kMaxTitleBytes || title.find('\n') != std::string::npos)
    return fail(Reason::usage, "a title is one line of at most 2000 bytes",
                "the rest belongs in --description");
  return check_text(title);
}

Result<void> check_change(const BeadChange& change) {
  if (change.title) TRY_VOID(check_title(*change.title));
  for (const auto* text : {&change.description, &change.acceptance, &change.design, &change.notes})
    if (*text) TRY_VOID(check_text(**text));
  return {};
}

std::string closed(std::string_view object, std::string_view reason, std::string_view now) {
  std::string result = with_status(std::string(object), "closed", now);
  result = json::with_member(result, "updated_at", json::quoted(now));
  return json::with_member(result, "close_reason",
                           json::quoted(reason.empty() ? "Closed" : reason));
}

std::string reopened(std::string_view object, std::string_view now) {
  return json::with_member(with_status(std::string(object), "open", now), "updated_at",
                           json::quoted(now));
}

std::string changed(std::string_view object, const BeadChange& change, std::string_view now) {
  std::string result(object);
  result = with_text(std::move(result), "title", change.title);
  result = with_text(std::move(result), "description", change.description);
  result = with_text(std::move(result), "acceptance_criteria", change.acceptance);
  result = with_text(std::move(result), "design", change.design);
  result = with_text(std::move(result), "notes", change.notes);
  result = with_text(std::move(result), "issue_type", change.type);
  if (change.priority)
    result = json::with_member(result, "priority", std::to_string(*change.priority));
  // Closing what is closed leaves the time at which it was closed.
  if (change.status && !(*change.status == "closed" && is_closed_object(object)))
    result = with_status(std::move(result), *change.status, now);
  return json::with_member(result, "updated_at", json::quoted(now));
}

std::string commented(std::string_view object, std::string_view comment, std::string_view now) {
  std::string comments = "[]";
  if (const auto members = json::object_at(object, 0))
    if (const auto* member = members->find("comments")) comments = member->value.in(object);
  if (!comments.starts_with('[')) comments = "[]";
  return json::with_member(
      json::with_member(object, "comments", json::with_element(comments, comment)), "updated_at",
      json::quoted(now));
}

}  // namespace capsule::task
