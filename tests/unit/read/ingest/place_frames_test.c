#include "ingest/place_frames.h"

#include "unit.h"

void suite_ingest_place_frames(void);

static struct place
place_at(uint64_t offset, uint32_t owner)
{
	return (struct place){offset, owner, owner & 1};
}

static void
test_places(void)
{
	struct place_frames places;
	size_t wrong = 0;

	place_frames_init(&places);
	for (uint32_t i = 0; i < 20000; i++) {
		struct place place = place_at((uint64_t)i / 3 * 16, i % 3);
		frame_id frames[2] = {i + 1, i + 2};

		wrong += place_frames_find(&places, &place) != NULL;
		place_frames_add(&places, &place, frames, 1 + i % 2);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		struct place place = place_at((uint64_t)i / 3 * 16, i % 3);
		const struct kept_frames *kept = place_frames_find(&places, &place);

		size_t count = 1 + i % 2;

		wrong += !kept || place_frames_count(&places, *kept) != count ||
			 place_frames_get(&places, *kept, 0) != i + 1 ||
			 place_frames_get(&places, *kept, count - 1) != i + count;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	place_frames_clear(&places);
	struct place place = place_at(0, 0);

	CU_ASSERT_PTR_NULL(place_frames_find(&places, &place));
	place_frames_release(&places);
}

void
suite_ingest_place_frames(void)
{
	static const struct unit_case cases[] = {
		{"frames_of_a_place_are_found_however_many_there_are", test_places},
		{NULL, NULL},
	};

	unit_suite("ingest/place_frames", cases);
}
