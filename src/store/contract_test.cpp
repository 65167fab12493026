// What every store holds to, for the one in a folder.
#include "tests/store/contract.h"
#include "store/store.h"
#include "tests/store/journal_folder.h"

namespace capsule::test {
namespace {

class InAFolder {
 public:
  static std::string skip() { return {}; }
  InAFolder() : folder_(JournalFolder::fresh_folder()) {}
  ~InAFolder() { std::filesystem::remove_all(folder_); }
  std::unique_ptr<engine::Records> open() const {
    auto opened = store::Store::open(folder_, store::Access::read_write);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }

 private:
  std::string folder_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, JournalContract, InAFolder);

}  // namespace
}  // namespace capsule::test
