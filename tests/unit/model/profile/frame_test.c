#include "profile/frame.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_profile_frame(void);

static void
marks_are_neither_functions_nor_unknown_code(void)
{
	CU_ASSERT_TRUE(frame_name_is_mark(FRAME_BROKEN));
	CU_ASSERT_TRUE(frame_name_is_mark(FRAME_TRUNCATED));
	CU_ASSERT_FALSE(frame_name_is_unknown(FRAME_BROKEN));
	CU_ASSERT_FALSE(frame_name_is_unknown(FRAME_TRUNCATED));
	CU_ASSERT_FALSE(frame_name_is_mark("[unknown]"));
	CU_ASSERT_FALSE(frame_name_is_mark("broken"));
	CU_ASSERT_TRUE(frame_name_is_unknown("[unknown]"));
	CU_ASSERT_TRUE(frame_name_is_unknown("[libc.so.6]"));
	CU_ASSERT_FALSE(frame_name_is_unknown("[]"));
}

static void
a_suffix_tells_the_kind_and_reads_back(void)
{
	static const enum frame_kind kinds[] = {FRAME_USER, FRAME_KERNEL, FRAME_INLINED, FRAME_JIT};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char text[16];

		snprintf(text, sizeof(text), "foo%s", frame_kind_suffix(kinds[i]));
		size_t len = strlen(text);

		CU_ASSERT_EQUAL(frame_parse_kind(text, &len), kinds[i]);
		CU_ASSERT_EQUAL(len, 3);
	}
}

void
suite_profile_frame(void)
{
	static const struct unit_case cases[] = {
		{"marks_are_neither_functions_nor_unknown_code",
			marks_are_neither_functions_nor_unknown_code},
		{"a_suffix_tells_the_kind_and_reads_back", a_suffix_tells_the_kind_and_reads_back},
		{NULL, NULL},
	};

	unit_suite("profile/frame", cases);
}
