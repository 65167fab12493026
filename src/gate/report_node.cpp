// The lines of our own reporter (report_node.h).
#include "gate/report_node.h"

#include "gate/report_lines.h"
#include "json/object.h"

namespace capsule::gate {
namespace {

class NodeLines : public ReportReader::Lines {
 public:
  std::string line(std::string_view text) override {
    const auto event = json::Object::parse(text);
    const auto name = event ? event->text("name") : std::nullopt;
    const auto state = event ? event->text("state") : std::nullopt;
    if (name && state == "passed") found.add(*name, TestState::passed);
    if (name && state == "failed") found.add(*name, TestState::failed);
    if (name && state == "skipped") found.add(*name, TestState::skipped);
    return {};
  }
};

}  // namespace

std::unique_ptr<ReportReader::Lines> node_lines() { return std::make_unique<NodeLines>(); }

}  // namespace capsule::gate
