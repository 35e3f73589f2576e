#include "lda/training/memory/room_for_state.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace papilio::lda {
namespace {

// Made ahead or not, and a second time.
TEST(RoomForState, IsZerosEachTime) {
  const std::vector<std::int32_t> z(3'000'000), n_wk(5);  // z is large enough for several threads
  for (const bool is_prepared : {false, true}) {
    RoomForState room(z.size(), n_wk.size(), 2);
    for (int time = 0; time < 2; ++time) {
      SCOPED_TRACE(::testing::Message() << is_prepared << " " << time);
      if (is_prepared) room.prepare();
      if (is_prepared) room.prepare();
      std::vector<std::int32_t> taken = room.take_z();
      EXPECT_EQ(taken, z);
      taken.assign(taken.size(), 7);
      EXPECT_EQ(room.take_n_wk(), n_wk);
    }
  }
}

TEST(RoomForState, MayBeLeft) {
  RoomForState room(1'000'000, 1'000'000, 0);
  room.prepare();
}

}  // namespace
}  // namespace papilio::lda
