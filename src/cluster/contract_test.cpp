// What every store holds to, for the one in a database.
#include "tests/store/contract.h"
#include "tests/postgres/project.h"

namespace capsule::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, JournalContract, cluster::InADatabase);

}  // namespace
}  // namespace capsule::test
