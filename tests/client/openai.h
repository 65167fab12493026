// What the two APIs of OpenAI share: their errors.
#pragma once

#include "tests/client/api.h"

namespace capsule::test {

Response openai_failure(const Conversation& asked, const Failure& failure);

}  // namespace capsule::test
