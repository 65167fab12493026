#include "world/run_requests.h"

#include <utility>

#include "world/answers.h"
#include "world/requests.h"

namespace capsule::world {

using namespace workflow;

RunRequests::RunRequests(process::Loop& loop, std::string project, std::string run)
    : project_(std::move(project)), run_(std::move(run)), watch_(loop) {}

void RunRequests::follow(std::function<void()> appeared) {
  watch_.watch(project_ + "/.capsule/requests", std::move(appeared));
}

std::optional<Stop> RunRequests::new_stop(bool interrupted) {
  std::optional<Stop> asked = pending_request(project_, run_);
  if (interrupted && asked != Stop::aborted) asked = Stop::interrupted;
  if (!asked || ends() || stop_ == asked) return std::nullopt;
  stop_ = asked;
  return asked;
}

std::vector<MessageLeft> RunRequests::new_messages() {
  std::vector<MessageLeft> messages = pending_messages(project_, run_);
  std::erase_if(messages,
                [&](const MessageLeft& one) { return !told_.insert(one.message).second; });
  return messages;
}

// The file of the answer goes at once: the question would be answered by it again.
std::vector<int> RunRequests::new_take_backs() {
  std::vector<int> questions;
  for (const int question : pending_take_backs(project_, run_)) {
    if (!taking_back_.insert(question).second) continue;
    static_cast<void>(take_back_answer(project_, run_, question));
    questions.push_back(question);
  }
  return questions;
}

// They are told until the runner has recorded them; whoever hears one twice passes it over.
std::vector<Observation> RunRequests::news() {
  std::vector<Observation> news;
  for (MessageLeft& message : new_messages()) {
    telling_.push_back(message.message);
    news.emplace_back(SupplyNews{std::move(message)});
  }
  for (const int question : new_take_backs()) news.emplace_back(TakeBackAsked{question});
  return news;
}

std::vector<Observation> RunRequests::standing() {
  std::vector<Observation> news;
  for (MessageLeft& message : new_messages()) {
    recorded_.push_back(message.message);
    news.emplace_back(SupplyNews{std::move(message)});
  }
  for (const int question : new_take_backs()) news.emplace_back(TakeBackAsked{question});
  taken_back_ = taking_back_;
  return news;
}

void RunRequests::handed_over() {
  recorded_ = std::exchange(telling_, {});
  taken_back_ = taking_back_;
}

void RunRequests::forget_recorded() {
  for (const std::string& id : std::exchange(recorded_, {})) drop_message(project_, run_, id);
  for (const int question : std::exchange(taken_back_, {})) {
    drop_take_back(project_, run_, question);
    taking_back_.erase(question);
  }
}

}  // namespace capsule::world
