// The tracker that needs no other program: `.beads/issues.jsonl` in bd's own shape, read and
// written by us. Any number of processes may use one project: each change is read, made and written
// under the folder's lock. An object belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tracker.h"
#include "task/bead_edit.h"
#include "task/bead_json.h"
#include "task/beads_folder.h"
#include "task/issues_file.h"

namespace capsule::task {

// What a damaged line does to those who read. Writers always keep it as it is.
enum class OnDamage {
  refuse,    // show and list fail with reason damaged: work is not begun on half a plan
  tolerate,  // the other lines are read; damage() tells
};

struct ImportCount {
  std::size_t created = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
};

class NativeStore : public engine::Tracker {
 public:
  // Nothing is opened yet: a project without a store has no beads. `actor` signs what is written.
  NativeStore(std::string project_dir, OnDamage on_damage, std::string actor = "capsule");

  // Makes the store and notes the prefix of new ids and that the file is the truth, in the two
  // settings that bd itself knows (`issue-prefix`, `no-db`). Beads that are there stay. Reasons:
  // usage (a bad prefix), exists (there is a store with a prefix, or bd's own database), refused,
  // io.
  static Result<void> init(const std::string& project_dir, std::string_view prefix);

  // Whether the project says that its issues.jsonl is the truth, as init() does.
  static bool declared(const std::string& project_dir);

  std::string_view name() const override { return "native"; }
  Result<engine::Bead> show(std::string_view id) override;
  // By priority, then in the order of the file.
  Result<std::vector<engine::Bead>> list(const engine::BeadFilter& filter) override;
  Result<void> close(std::string_view id, std::string_view reason) override;

  // Open beads that wait for nothing: neither they nor anything above them is blocked.
  Result<std::vector<engine::Bead>> ready();

  // The new id: PARENT.N, or PREFIX-N, with the next free number.
  Result<std::string> create(const NewBead& bead);
  Result<void> add_comment(std::string_view id, std::string_view text);
  // Makes it open again; the reason becomes a comment. An open bead stays as it is.
  Result<void> reopen(std::string_view id, std::string_view reason);
  Result<void> update(std::string_view id, const BeadChange& change);

  // Adds the beads of a JSON-lines text; in a bead that is there already, the members that the text
  // has are set and the others kept. All or nothing: a damaged line is an error that names it.
  Result<ImportCount> import(std::string_view text, std::string_view source);

  // In bd's shapes, with a line feed at the end.
  Result<std::string> show_json(std::string_view id);
  Result<std::string> list_json(const std::vector<engine::Bead>& beads);
  Result<std::string> object_json(std::string_view id);
  Result<std::string> array_json(std::string_view id);
  Result<std::string> last_comment_json(std::string_view id);

  // Of the file as it was last read.
  const std::vector<Damage>& damage() const { return file_.damage(); }
  std::string file_path() const;

 private:
  Result<void> load();           // into file_, if it changed since
  Result<void> load_readable();  // and refuse damage, if asked to
  Result<BeadsFolder> locked(bool create);
  Result<void> save(const BeadsFolder& folder);
  Result<const engine::Bead*> find(std::string_view id) const;
  bool waits(const engine::Bead& bead) const;
  std::string new_comment(std::string_view id, std::string_view text, std::string_view time) const;
  tl::unexpected<Error> damaged() const;

  std::string project_dir_;
  OnDamage on_damage_;
  std::string actor_;
  IssuesFile file_;
  std::string stamp_;
};

}  // namespace capsule::task
