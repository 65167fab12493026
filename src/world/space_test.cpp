#include "world/space.h"

#include <gmock/gmock.h>

#include "process/test_support.h"

namespace capsule::world {
namespace {

using event::supply::Room;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20, kGiga = kMega << 10;
constexpr std::uint64_t kReserve = 400 * kMega;

Space disk(std::uint64_t free_megas, std::string folder = "/a", std::uint64_t size = 100 * kGiga) {
  return {std::move(folder), free_megas * kMega, size};
}
Room room_with(std::uint64_t free_megas, Room before) {
  return judge({disk(free_megas)}, kReserve, before).room;
}

TEST(Space, TooLittleIsLessThanTheReserveAndNothingAQuarterOfIt) {
  EXPECT_EQ(room_with(400, Room::enough), Room::enough);
  EXPECT_EQ(room_with(399, Room::enough), Room::low);
  EXPECT_EQ(room_with(100, Room::enough), Room::low);
  EXPECT_EQ(room_with(99, Room::enough), Room::none);
}

TEST(Space, OnceTooLittleItIsEnoughWithAQuarterMoreSoThatNothingStartsAndEndsByTurns) {
  EXPECT_EQ(room_with(499, Room::low), Room::low);
  EXPECT_EQ(room_with(500, Room::low), Room::enough);
  EXPECT_EQ(room_with(300, Room::none), Room::low);
  EXPECT_EQ(room_with(500, Room::none), Room::enough);
}

TEST(Space, OfASmallFileSystemATenthIsKept) {
  const Space small = disk(80, "/a", 1000 * kMega);
  EXPECT_EQ(reserve_of(small, kReserve), 100 * kMega);
  const auto stands = judge({small}, kReserve, Room::enough);
  EXPECT_EQ(stands.room, Room::low);
  EXPECT_EQ(stands.reserve, static_cast<std::int64_t>(100 * kMega));
}

TEST(Space, TheFileSystemThatIsWorstOffCounts) {
  const auto stands =
      judge({disk(5000, "/project"), disk(50, "/tmp"), disk(300, "/home")}, kReserve, Room::enough);
  EXPECT_EQ(stands.folder, "/tmp");
  EXPECT_EQ(stands.room, Room::none);
  EXPECT_EQ(stands.free, static_cast<std::int64_t>(50 * kMega));
  EXPECT_EQ(judge({}, kReserve, Room::low).room, Room::enough) << "nobody knows of any";
}

TEST(Space, OfAFolderThatIsNotThereNothingIsSaid) {
  EXPECT_FALSE(space_of("/no/such/folder"));
  const auto here = space_of("/tmp");
  ASSERT_TRUE(here);
  EXPECT_GT(here->size, 0U);
  EXPECT_LE(here->free, here->size);
}

TEST(SpaceWatch, TellsEachChangeOnceAndWhatHoldsAtTheBeginning) {
  auto loop = process::Loop::create({CAPSULE_BINARY}).value();
  std::uint64_t free = 300;
  SpaceWatch watch(
      *loop, {"/a", "/b"}, kReserve,
      [&](const std::string& folder) {
        return folder == "/a" ? std::optional(disk(free)) : std::nullopt;
      },
      std::chrono::milliseconds(10));
  EXPECT_EQ(watch.standing().room, Room::low);
  EXPECT_FALSE(watch.has_room());
  std::vector<Room> told;
  watch.follow([&](const workflow::DiskStands& stands) { told.push_back(stands.room); });
  watch.look();
  EXPECT_THAT(told, IsEmpty()) << "it is as it was";
  free = 90;
  watch.look();
  watch.look();
  EXPECT_THAT(told, ElementsAre(Room::none));
  free = 900;
  // Nobody asks: the watch looks by itself.
  loop->run_while([&] { return told.size() < 2; });
  EXPECT_THAT(told, ElementsAre(Room::none, Room::enough));
  EXPECT_TRUE(watch.has_room());
}

TEST(SpaceWatch, SleepsWhileNobodyWorksAndThereIsRoom) {
  auto loop = process::Loop::create({CAPSULE_BINARY}).value();
  int looks = 0;
  const auto measure = [&](const std::string&) {
    ++looks;
    return std::optional(disk(900));
  };
  SpaceWatch watch(*loop, {"/a"}, kReserve, measure, std::chrono::milliseconds(1));
  watch.follow([](const workflow::DiskStands&) {});
  for (int i = 0; i < 20; ++i) loop->turn(process::Clock::now() + std::chrono::milliseconds(2));
  EXPECT_EQ(looks, 0) << "a run that waits for a person";
  process::testing::Recorder child;
  ASSERT_TRUE(loop->start(process::testing::script("sleep 1000"), child));
  watch.look();
  loop->run_while([&] { return looks < 3; });
  loop->end_all(std::chrono::milliseconds(0));
  loop->run();
}

}  // namespace
}  // namespace capsule::world
