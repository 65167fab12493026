// Files by which agent clients are told what to do: CLAUDE.md, AGENTS.md, .claude/ with its hooks,
// and the like. Whoever judges a work sees them as they were before it: a writer would dictate the
// verdict otherwise.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "git/repository.h"

namespace capsule::world {

// .env is what programs of the work read, and set-ups make; some clients take the address of their
// service from it.
enum class DotEnv { is_data, instructs };

// Whether a client takes instructions from the file or folder of that path, or from what it is in.
// The part of the path that ends with the first such name; empty: it does not.
std::string_view instruction_in(std::string_view path, DotEnv dot_env = DotEnv::is_data);

class Instructions {
 public:
  explicit Instructions(const git::Repository& repository) : repository_(repository) {}

  // Fills the new folder `cover` so that, laid over the worktree (contain::Wish::cover), it shows
  // the instructions of the commit `base` and no others. False: they are the same already, and
  // nothing was made. What a file of these refers to is not looked at. Two processes for each new
  // base. Errors: refused (too many or too large), failed, io.
  Result<bool> cover(const std::string& base, const std::string& worktree, const std::string& cover,
                     DotEnv dot_env = DotEnv::is_data);

 private:
  struct Given {
    std::string path;
    unsigned mode = 0;  // as git has it
    std::string text;   // of a link: where it leads
  };
  Result<const std::vector<Given>*> of(const std::string& base);

  const git::Repository& repository_;
  std::map<std::string, std::vector<Given>> known_;  // by commit
};

}  // namespace capsule::world
