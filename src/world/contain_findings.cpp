#include "world/contain_findings.h"

#include "contain/abilities.h"

namespace capsule::world {

Findings check_containment() {
  Findings findings;
  for (contain::Ability& ability : contain::abilities()) {
    Finding finding{ability.there ? Health::good : Health::doubtful, std::move(ability.what),
                    "contain: " + ability.text};
    if (!ability.remedy.empty()) finding.mend.push_back(std::move(ability.remedy));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace capsule::world
