// A client that tells what it uses. Tests only.
#pragma once

#include <filesystem>

#include "tests/program/harness.h"

namespace capsule::test {

// Prints the words of another program as claude's events, with what the call used: 100 tokens in,
// 20 out, 1000 from a cache, 10 into it, two turns, a quarter of the currency; and that it has
// shortened the conversation once.
inline std::string metered(const std::string& worker) {
  return "#!/bin/bash\nTEXT=$(" + worker +
         ") || exit\n"
         "TEXT=${TEXT//\\\\/\\\\\\\\}; TEXT=${TEXT//\\\"/\\\\\\\"}; TEXT=${TEXT//$'\\n'/\\\\n}\n"
         R"(printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.325"}' \
  '{"type":"assistant","message":{"id":"m","model":"claude-x-1","content":[]}}' \
  '{"type":"system","subtype":"compact_boundary","session_id":"s"}' \
  '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":1000,"cache_creation_input_tokens":10},"result":"'"$TEXT"'"}'
)";
}

inline void install_program(const std::string& file, const std::string& text) {
  write_file(file, text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace capsule::test
