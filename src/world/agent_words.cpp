#include "world/agent_words.h"

#include <algorithm>

#include "base/text.h"
#include "event/delivery.h"
#include "signal/block.h"
#include "signal/transcript.h"
#include "workflow/supply/policy.h"

namespace capsule::world {
namespace {

void add_fields(std::vector<workflow::Field>& to, signal::Fields& fields) {
  for (signal::Field& field : fields)
    to.push_back({std::string(field.label), std::move(field.text)});
}

// Only the end, from the beginning of a line where there is one.
void cut_to(std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return;
  std::size_t from = text.size() - bytes;
  const std::size_t line = text.find('\n', from - 1);
  if (line != text.npos && line + 1 < text.size()) from = line + 1;
  text.erase(0, from);
}

}  // namespace

std::string preview_of(std::string_view printed) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < kPreviewCharacters && at < printed.size(); ++i)
    at += std::max<std::size_t>(1, utf8_length(printed.substr(at)));
  return std::string(printed.substr(0, at));
}

std::string model_of(const dialect::Reading& reading, std::string_view asked) {
  const std::vector<std::string>& models = reading.models;
  if (models.empty()) return {};
  const auto one = std::find_if(models.begin(), models.end(), [&](const std::string& model) {
    return supply::same_model(asked, model) == reading.helpers_too;
  });
  return printable(one == models.end() || asked.empty() ? models.back() : *one);
}

workflow::LineWords line_words(std::string_view printed, std::string_view role,
                               std::string_view task, const ExpertsCreated& created,
                               signal::Missed* missed) {
  signal::LineOptions options;
  options.role = signal::role_named(role);
  if (!task.empty()) options.task = task;
  signal::LineResult result = signal::parse_line(printed, options);
  workflow::LineWords words;
  // Nobody can be asked by a name that no file has.
  if (result.signal == signal::Signal::expert_created && (!created || !created(result))) {
    if (missed != nullptr) *missed = {signal::Miss::no_expert, ""};
    return words;
  }
  if (result.signal == signal::Signal::unknown && missed != nullptr)
    *missed = signal::missed_line(printed, options);
  words.signal = result.signal;
  words.argument = result.task_id.value_or("");
  add_fields(words.fields, result.fields);
  for (signal::Extra& extra : result.more) {
    words.fields.push_back({std::string(event::delivery::kAlso), extra.id});
    add_fields(words.fields, extra.fields);
    words.more.push_back(std::move(extra.id));
  }
  return words;
}

workflow::BlockWords block_words(std::string_view printed, signal::Missed* missed) {
  signal::BlockReader reader;
  reader.read(printed);
  const signal::BlockResult result = reader.result();
  workflow::BlockWords words;
  for (const signal::BlockSighting& sighting : result.sequence)
    words.signals.emplace_back(signal::row(sighting.signal).wire);
  if (result.signal && signal::row(*result.signal).kind == signal::BlockKind::transition)
    words.signals.emplace_back(signal::row(*result.signal).wire);
  if (result.signal == signal::Signal::phase_error) {
    const std::string* error = result.field("ERROR");
    const std::string* recoverable = result.field("RECOVERABLE");
    words.error = error != nullptr ? *error : "the agent gave no reason";
    words.recoverable = recoverable != nullptr && signal::same_letters(*recoverable, "true");
  }
  if (words.signals.empty() && missed != nullptr) *missed = signal::missed_block(printed);
  words.text = said_in(printed);
  return words;
}

workflow::VerdictWords verdict_words(std::string_view printed) { return {said_in(printed)}; }

std::string said_in(std::string_view printed) {
  std::string words;
  if (!signal::is_transcript(printed)) {
    words = printed;
    cut_to(words, kMaxWordsBytes);
    return words;
  }
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    const auto record = signal::read_record(printed.substr(at, end - at));
    at = end + 1;
    if (!record || record->speaker != signal::Speaker::assistant) continue;
    for (const signal::RawText raw : record->texts)
      signal::for_each_line(raw, [&](std::string_view part) {
        words.append(part).push_back('\n');
        if (words.size() > 2 * kMaxWordsBytes) cut_to(words, kMaxWordsBytes);
      });
  }
  cut_to(words, kMaxWordsBytes);
  return words;
}

}  // namespace capsule::world
