// The test command that a project probably has, looked up in its files: for init and doctor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/write.h"
#include "gate/propose.h"

namespace capsule::world {

// Looks at the project's root and one folder below. Files are read without following links.
std::optional<gate::Proposal> proposal_for(const std::string& root);

// What the configuration would have to say.
std::vector<config::Assignment> assignments_of(const gate::Proposal& proposal);
// The same on one line: "verify: {test: [go, test, ./...], dir: src}".
std::string yaml_of(const gate::Proposal& proposal);
// "; its tests are read by name (go test -json)": what verify.test_report: auto makes of it.
std::string naming_of(const gate::Proposal& proposal, const std::string& root);

}  // namespace capsule::world
