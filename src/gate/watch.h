// Tells who wants to know when one of the project's own commands begins and ends, and what it was
// for. Whoever starts something says what it is about; what follows from its end is about the same,
// however many turns of the loop later. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gate/verify.h"
#include "workflow/progress.h"

namespace capsule::gate {

class Watch {
 public:
  struct About {
    std::string task;
    workflow::CheckFor what{};
  };
  std::function<void(const workflow::CheckProgress&)> tell = [](const auto&) {};

  // What begins from here until the scope ends is about this.
  class Scope {
   public:
    // Null: nobody watches.
    Scope(Watch* watch, About about) : watch_(watch) {
      if (watch_ != nullptr) before_ = std::exchange(watch_->about_, std::move(about));
    }
    // The same task, and something else.
    Scope(Watch* watch, workflow::CheckFor what)
        : Scope(watch, watch == nullptr ? About{} : About{watch->about_.task, what}) {}
    ~Scope() {
      if (watch_ != nullptr) watch_->about_ = std::move(before_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Watch* watch_;
    About before_;
  };
  const About& about() const { return about_; }

  workflow::CheckProgress begin(const About& about, const std::string& name,
                                const std::string& command);
  void end(workflow::CheckProgress begun, const Verdict& verdict);

 private:
  About about_;
  std::uint64_t next_ = 1;
};

}  // namespace capsule::gate
