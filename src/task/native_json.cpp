#include "task/native_json.h"

#include <map>
#include <nlohmann/json.hpp>

namespace capsule::task {
namespace {

using Json = nlohmann::ordered_json;

// The file was parsed before, so this cannot fail. What bd always prints is filled in.
Json parsed(const IssuesFile& file, std::string_view id) {
  Json json = Json::parse(file.object(id));
  const engine::Bead& bead = *file.find(id);
  json["title"] = bead.title;
  json["status"] = bead.status;
  json["priority"] = bead.priority;
  json["issue_type"] = bead.type;
  return json;
}

// A bead in the place of a dependency: without its own connections.
Json neighbour(const IssuesFile& file, const std::string& id, const std::string& type) {
  Json json = parsed(file, id);
  for (const char* key : {"dependencies", "comments", "parent"}) json.erase(key);
  json["dependency_type"] = type;
  return json;
}

std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct Counts {
  std::size_t dependencies = 0;
  std::size_t dependents = 0;
};

}  // namespace

std::string show_json(const IssuesFile& file, std::string_view id) {
  const engine::Bead& bead = *file.find(id);
  Json json = parsed(file, id);
  const Json comments = json.value("comments", Json::array());
  for (const char* key : {"dependencies", "dependents", "comments", "parent"}) json.erase(key);
  Json dependencies = Json::array();
  for (const engine::BeadDependency& other : bead.dependencies)
    if (file.find(other.id) != nullptr)
      dependencies.push_back(neighbour(file, other.id, other.type));
  Json dependents = Json::array();
  for (const engine::Bead* other : file.beads())
    for (const engine::BeadDependency& dependency : other->dependencies)
      if (dependency.id == id) dependents.push_back(neighbour(file, other->id, dependency.type));
  if (!dependencies.empty()) json["dependencies"] = std::move(dependencies);
  if (!dependents.empty()) json["dependents"] = std::move(dependents);
  if (!comments.empty()) json["comments"] = comments;
  if (!bead.parent.empty()) json["parent"] = bead.parent;
  return printed(Json::array({std::move(json)}));
}

std::string list_json(const IssuesFile& file, const std::vector<engine::Bead>& beads) {
  std::map<std::string, Counts> counts;
  for (const engine::Bead* bead : file.beads())
    for (const engine::BeadDependency& dependency : bead->dependencies)
      if (dependency.type == "blocks") {
        ++counts[bead->id].dependencies;
        ++counts[dependency.id].dependents;
      }
  Json all = Json::array();
  for (const engine::Bead& bead : beads) {
    Json json = parsed(file, bead.id);
    const std::size_t comments = bead.comments.size();
    for (const char* key : {"comments", "parent"}) json.erase(key);
    json["dependency_count"] = counts[bead.id].dependencies;
    json["dependent_count"] = counts[bead.id].dependents;
    json["comment_count"] = comments;
    if (!bead.parent.empty()) json["parent"] = bead.parent;
    all.push_back(std::move(json));
  }
  return printed(all);
}

std::string object_json(const IssuesFile& file, std::string_view id) {
  return printed(parsed(file, id));
}

std::string array_json(const IssuesFile& file, std::string_view id) {
  return printed(Json::array({parsed(file, id)}));
}

std::string last_comment_json(const IssuesFile& file, std::string_view id) {
  const Json json = parsed(file, id);
  const auto found = json.find("comments");
  return printed(found == json.end() || !found->is_array() || found->empty() ? Json()
                                                                             : found->back());
}

}  // namespace capsule::task
