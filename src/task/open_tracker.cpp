#include "task/open_tracker.h"

#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "task/bd_tracker.h"
#include "task/native_store.h"

namespace capsule::task {
namespace {

// A program called bd that has not said what it is: believed once it shows a bead.
class UnprovenBd : public engine::Tracker {
 public:
  explicit UnprovenBd(const std::string& project_dir)
      : bd_(project_dir), native_(project_dir, OnDamage::refuse) {}

  std::string_view name() const override { return proven_ ? bd_.name() : native_.name(); }

  Result<engine::Bead> show(std::string_view id) override {
    if (auto bead = bd_.show(id)) {
      proven_ = true;
      return bead;
    } else if (proven_ || bead.error().reason == Reason::usage) {
      return bead;
    } else if (auto own = native_.show(id); own || own.error().reason != Reason::not_found) {
      return own;
    } else {
      return fail(
          Reason::not_found,
          bead.error().reason == Reason::not_found ? bead.error().message : own.error().message,
          own.error().hint);
    }
  }

  Result<std::vector<engine::Bead>> list(const engine::BeadFilter& filter) override {
    return proven_ ? bd_.list(filter) : native_.list(filter);
  }

  Result<void> close(std::string_view id, std::string_view reason) override {
    if (!proven_) TRY_VOID(show(id));
    return proven_ ? bd_.close(id, reason) : native_.close(id, reason);
  }

 private:
  BdTracker bd_;
  NativeStore native_;
  bool proven_ = false;
};

bool has_store(const std::string& project_dir) {
  return exists(project_dir + "/.beads/issues.jsonl");
}

Result<std::unique_ptr<engine::Tracker>> open_automatic(const std::string& project_dir) {
  const auto native = [&] { return std::make_unique<NativeStore>(project_dir, OnDamage::refuse); };
  if (NativeStore::declared(project_dir)) return native();
  switch (TRY(identify_bd(project_dir))) {
    case BdKind::missing:
      return native();
    case BdKind::beads:
      return std::make_unique<BdTracker>(project_dir);
    case BdKind::silent:
      return std::make_unique<UnprovenBd>(project_dir);
    case BdKind::other:
      break;
  }
  if (has_store(project_dir)) return native();
  return std::make_unique<UnprovenBd>(project_dir);
}

Result<void> set_up_bd(const std::string& project_dir, std::string_view prefix,
                       const std::string& issues_file) {
  const std::string orders = project_dir + "/AGENTS.md";
  const bool had_orders = exists(orders);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"init", "--prefix=" + std::string(prefix)},
        std::vector<std::string>{"import", "-i", issues_file}}) {
    const auto output = TRY(run_bd(project_dir, words));
    if (!output.ok())
      return fail(Reason::failed, "bd " + words.front() + " failed: " +
                                      std::string(trimmed(output.err).substr(0, 500)) + " (exit " +
                                      std::to_string(output.exit_code) + ")");
  }
  // bd 0.49 tells agents there that they must push and close beads, which is not theirs to do here.
  if (!had_orders) ::unlink(orders.c_str());
  return {};
}

Result<void> set_up_native(const std::string& project_dir, std::string_view prefix,
                           const std::string& issues_file) {
  const std::string text = TRY(read_file(issues_file));
  TRY_VOID(NativeStore::init(project_dir, prefix));
  TRY_VOID(NativeStore(project_dir, OnDamage::refuse).import(text, issues_file));
  return {};
}

// A bead of the file, to ask a tracker for.
std::string first_bead(const std::string& issues_file) {
  const auto text = read_file(issues_file);
  const IssuesFile file = IssuesFile::parse(text ? *text : std::string_view{});
  return file.beads().empty() ? std::string{} : file.beads().front()->id;
}

}  // namespace

Result<std::unique_ptr<engine::Tracker>> open_tracker(const std::string& project_dir,
                                                      Choice choice) {
  if (!is_folder(project_dir)) return fail(Reason::not_found, project_dir + " is not a folder");
  if (choice == Choice::automatic) return open_automatic(project_dir);
  if (choice == Choice::bd) return std::make_unique<BdTracker>(project_dir);
  return std::make_unique<NativeStore>(project_dir, OnDamage::refuse);
}

Result<bool> uses_bd(const std::string& project_dir, Choice choice) {
  if (!is_folder(project_dir)) return fail(Reason::not_found, project_dir + " is not a folder");
  if (choice != Choice::automatic) return choice == Choice::bd;
  if (NativeStore::declared(project_dir)) return false;
  const BdKind kind = TRY(identify_bd(project_dir));
  return kind == BdKind::beads || (kind == BdKind::silent && !has_store(project_dir));
}

Result<Choice> set_up_tracker(const std::string& project_dir, Choice choice,
                              std::string_view prefix, const std::string& issues_file) {
  const BdKind kind = choice == Choice::automatic ? TRY(identify_bd(project_dir)) : BdKind::missing;
  if (choice == Choice::bd || kind == BdKind::beads) {
    TRY_VOID(set_up_bd(project_dir, prefix, issues_file));
    return Choice::bd;
  }
  if (kind == BdKind::silent && set_up_bd(project_dir, prefix, issues_file) &&
      BdTracker(project_dir).show(first_bead(issues_file)))
    return Choice::bd;
  TRY_VOID(set_up_native(project_dir, prefix, issues_file));
  return Choice::native;
}

}  // namespace capsule::task
