#include "tests/reference/block_reference.h"

#include <algorithm>

#include "tests/reference/transcript_reference.h"

namespace capsule::reference {
namespace {

const std::vector<std::string> kNames{
    "EXPANSION_COMPLETE", "INIT_COMPLETE",   "PLANNING_COMPLETE", "EXECUTION_COMPLETE",
    "QA_COMPLETE",        "REVIEW_COMPLETE", "FIX_COMPLETE",      "CHECK_COMPLETE",
    "REFLECT_COMPLETE",   "AUTO_COMPLETE",   "TRANSITION_TO_QA",  "TRANSITION_TO_VALIDATION",
    "TRANSITION_TO_FIX",  "PHASE_ERROR"};

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Block {
  std::string name;
  Fields fields;
  bool completes() const { return name.ends_with("_COMPLETE"); }
  bool moves() const { return name.starts_with("TRANSITION_"); }
  const std::string* field(const std::string& key) const {
    for (const auto& [known, value] : fields)
      if (known == key) return &value;
    return nullptr;
  }
  bool quotes_a_template() const {
    const std::string* time = field("TIMESTAMP");
    return time != nullptr && time->size() >= 2 && time->front() == '[' && time->back() == ']';
  }
  bool takes_back() const;
};

std::string capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

bool Block::takes_back() const {
  return completes() && field("STATUS") != nullptr && capitals(*field("STATUS")) != "COMPLETE";
}

std::string trim(const std::string& text) {
  const std::string blanks = " \t\r\v\f\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The key of a `KEY: value` line, or empty.
std::string key_of(const std::string& line) {
  const std::string key = capitals(line.substr(0, line.find(':')));
  if (key.size() == line.size() || key.empty() || key.size() > 64) return "";
  if (key[0] >= '0' && key[0] <= '9') return "";
  const std::string allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return key.find_first_not_of(allowed) == std::string::npos ? key : "";
}

std::vector<Block> blocks_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(trim(text.substr(from, end - from)));
    from = end + 1;
  }
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (key_of(lines[i]) != "SIGNAL") continue;
    const std::string name = capitals(trim(lines[i].substr(7)));
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) continue;
    Block block{name, {}};
    for (std::size_t j = i + 1; j < lines.size(); ++j) {
      const std::string key = key_of(lines[j]);
      if (key.empty() || key == "SIGNAL") break;
      const std::string known = " PHASE STATUS TIMESTAMP NEXT ERROR RECOVERABLE ";
      if (block.fields.size() >= 64 && known.find(" " + key + " ") == std::string::npos) continue;
      const std::string value = trim(lines[j].substr(key.size() + 1));
      const auto same = [&](const auto& field) { return field.first == key; };
      const auto earlier = std::find_if(block.fields.begin(), block.fields.end(), same);
      if (earlier != block.fields.end()) {
        earlier->second = value;
      } else {
        block.fields.emplace_back(key, value);
      }
    }
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

BlockAnswer block(const std::string& text) {
  std::vector<Block> blocks;
  for (const std::string& part : texts_that_count(text))
    for (const Block& block : blocks_of(part))
      if (!block.quotes_a_template()) blocks.push_back(block);

  std::vector<Block> valid;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    bool stands = !blocks[i].takes_back();
    for (std::size_t later = i + 1; later < blocks.size(); ++later)
      if (blocks[later].name == blocks[i].name && blocks[later].takes_back()) stands = false;
    if (stands) valid.push_back(blocks[i]);
  }

  BlockAnswer answer;
  for (const Block& block : valid)
    if (!block.moves()) answer.sequence.push_back(block.name);
  for (const Block& block : valid) {
    if (block.moves() && !answer.sequence.empty()) continue;
    answer.signal = block.name;
    answer.fields = block.fields;
  }
  return answer;
}

}  // namespace capsule::reference
