#include "task/bead_json.h"

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/text.h"
#include "json/places.h"

namespace capsule::task {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) return found->get<std::string>();
  }
  return {};
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

int priority_of(const Json& object) {
  constexpr int kUnsaid = 2;
  const auto found = object.find("priority");
  if (found == object.end() || !found->is_number_integer()) return kUnsaid;
  const auto value = found->get<long long>();
  return value >= 0 && value <= 1000 ? static_cast<int>(value) : kUnsaid;
}

Result<engine::Bead> bead_of(const Json& object, std::string_view asked) {
  if (!object.is_object()) return fail(Reason::damaged, "not a JSON object");
  engine::Bead bead;
  bead.id = text_of(object, {"id"});
  if (bead.id.empty() && !object.contains("title") && object.contains("error"))
    return fail(Reason::not_found, text_of(object, {"error"}));
  if (bead.id.empty() && object.contains("title")) bead.id = asked;
  if (bead.id.empty()) return fail(Reason::damaged, "no id");
  if (!valid_id(bead.id))
    return fail(Reason::damaged,
                "'" + printable(std::string_view(bead.id).substr(0, 100)) + "' is not a valid id");
  bead.title = text_of(object, {"title"});
  bead.type = text_of(object, {"issue_type", "type"});
  if (bead.type.empty()) bead.type = "task";
  bead.status = text_of(object, {"status"});
  if (bead.status.empty()) bead.status = "open";
  bead.priority = priority_of(object);
  bead.description = text_of(object, {"description"});
  bead.acceptance = text_of(object, {"acceptance_criteria", "acceptance"});
  bead.design = text_of(object, {"design"});
  bead.notes = text_of(object, {"notes"});
  bead.assignee = text_of(object, {"assignee"});
  bead.parent = text_of(object, {"parent", "parent_id"});
  bead.created_at = text_of(object, {"created_at"});
  bead.updated_at = text_of(object, {"updated_at"});
  bead.closed_at = text_of(object, {"closed_at"});
  bead.close_reason = text_of(object, {"close_reason"});
  for (const Json& label : list_of(object, "labels"))
    if (label.is_string()) bead.labels.push_back(label.get<std::string>());
  for (const Json& other : list_of(object, "dependencies")) {
    if (!other.is_object()) continue;
    // A line of the file names both ends; what bd prints is the other bead itself.
    const std::string from = text_of(other, {"issue_id"});
    if (!from.empty() && from != bead.id) continue;
    engine::BeadDependency dependency{text_of(other, {"depends_on_id", "id"}),
                                      text_of(other, {"dependency_type", "type"}),
                                      text_of(other, {"title"}), text_of(other, {"status"})};
    if (dependency.id.empty()) continue;
    if (dependency.type == "parent-child" && bead.parent.empty()) bead.parent = dependency.id;
    bead.dependencies.push_back(std::move(dependency));
  }
  for (const Json& comment : list_of(object, "comments"))
    if (comment.is_object())
      bead.comments.push_back({text_of(comment, {"author"}), text_of(comment, {"text"}),
                               text_of(comment, {"created_at"})});
  return bead;
}

Result<Json> parsed(std::string_view text) {
  if (json::nesting(text) > kMaxJsonNesting) return fail(Reason::damaged, "nested too deeply");
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return fail(Reason::damaged, "not valid JSON");
  return json;
}

}  // namespace

Result<engine::Bead> bead_from_json(std::string_view text) {
  return bead_of(TRY(parsed(text)), {});
}

Result<std::vector<engine::Bead>> beads_from_json(std::string_view text, std::string_view asked) {
  const Json json = TRY(parsed(text));
  std::vector<engine::Bead> beads;
  if (!json.is_array()) {
    beads.push_back(TRY(bead_of(json, asked)));
    return beads;
  }
  for (const Json& object : json) beads.push_back(TRY(bead_of(object, asked)));
  return beads;
}

std::string line_of_new_bead(const NewBead& bead, std::string_view id, std::string_view actor,
                             std::string_view now) {
  Json json{{"id", id}, {"title", bead.title}};
  if (!bead.description.empty()) json["description"] = bead.description;
  if (!bead.acceptance.empty()) json["acceptance_criteria"] = bead.acceptance;
  json["status"] = "open";
  json["priority"] = bead.priority;
  json["issue_type"] = bead.type;
  json["created_at"] = now;
  json["created_by"] = actor;
  json["updated_at"] = now;
  if (!bead.parent.empty())
    json["dependencies"] = Json::array({Json{{"issue_id", id},
                                             {"depends_on_id", bead.parent},
                                             {"type", "parent-child"},
                                             {"created_at", now},
                                             {"created_by", actor}}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string comment_json(std::size_t number, std::string_view bead, std::string_view author,
                         std::string_view text, std::string_view now) {
  const Json json{
      {"id", number}, {"issue_id", bead}, {"author", author}, {"text", text}, {"created_at", now}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace capsule::task
