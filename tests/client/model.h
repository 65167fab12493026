// A model that plays a script: an HTTP server on 127.0.0.1 that speaks as much of four APIs
// (api.h), streamed, as agent clients use. What it answers follows from the conversation alone,
// never from the order of requests, so that several clients may talk at once and a client may ask
// for titles, token counts or the same thing twice. Only faults that are to pass are counted.
//
// Thread-safe. It lives in the test's own process and ends with it; the destructor closes every
// connection and waits for its threads.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/client/answer.h"
#include "tests/client/http.h"

namespace capsule::test {

inline constexpr int kUntilMended = -1;

// One answer of the model: text, a call of the client's shell, or both in this order.
struct Say {
  std::string text = {};
  std::string command = {};
  std::string tool = {};  // as in Answer
  bool repeat = false;    // the text is what the last tool printed
  Tokens tokens = {};
  Failure failure = {};
  // How often it fails before the next answer is given; 0: for ever, kUntilMended: until mend().
  int times = 0;

  Say costing(Tokens wanted) const;
};
Say say(std::string text);
Say bash(std::string command);
Say calls(std::string tool, const nlohmann::json& arguments);  // also where it is not offered
Say repeat_tool();  // lets what a tool found decide the answer
Say fails(Failure failure, int times = 0);
Say fails(Fault fault, int times = 0);

// One request of a conversation, and what it was answered by.
struct Turn {
  std::string key;         // of the rule that answered; empty when none did
  std::size_t step;        // which of its answers
  std::string prompt;      // the user's text that the rule was found in
  std::string tool;        // what the last tool printed; empty when none was called yet
  std::string session;     // the client's id of the session
  std::string model;       // that was asked for
  std::string credential;  // as in Conversation
  std::size_t user_texts;  // how many texts of the user the conversation holds up to here
  Tokens tokens = {};      // none, when it failed
  Fault fault = Fault::none;
};

// What is to be answered, and what was asked. Thread-safe.
class Script {
 public:
  // When the newest text of the user that holds a key holds `key`, the answers are these, one after
  // the other; the conversation tells how many were given. Earlier rules win where one text holds
  // several keys. The last answer must not call a tool. A failure that passes stands before the
  // answer that it delays, and no client sees it in its history.
  void when(std::string key, std::vector<Say> answers);

  // Another model answers from now on, whichever is asked for.
  void answer_as(std::string model);
  std::string answers_as(const std::string& asked) const;

  // Failures that last until then are over.
  void mend();

  Answer answer(const Conversation& asked);
  void surprise(std::string what);

  std::vector<Turn> turns() const;        // of conversations, in the order of their requests
  std::vector<std::string> keys() const;  // of the turns that began a rule, failures left out
  Tokens used() const;                    // by all turns
  // What a client did that no rule foresaw: texts without a rule, answers after the last one,
  // requests that are no part of the API.
  std::vector<std::string> surprises() const;

 private:
  struct Step {
    Say answer;
    std::vector<Say> before;  // failures, `times` counting down
  };
  struct Rule {
    std::string key;
    std::vector<Step> steps;
  };
  struct Place;
  Place place_of(const Conversation& asked);

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Rule> rules_;
  std::vector<Turn> turns_;
  std::vector<std::string> surprises_;
  int answers_ = 0;
  bool mended_ = false;
  std::string answers_as_;  // empty: the model that is asked
};

// The server that plays a script. It lives in the test's own process and ends with it; the
// destructor closes every connection and waits for its threads.
class Model {
 public:
  explicit Model(Script& script);  // which must outlive it
  std::string url() const;

 private:
  HttpServer server_;
};

}  // namespace capsule::test
