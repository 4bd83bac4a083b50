#include "profile/frame.h"

#include "format/name_fit.h"
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

static void
reads_as(const char *name, size_t columns, const char *expected)
{
	struct buf out = {0};

	frame_fit_words(&out, name, columns);
	UNIT_STR_EQ(buf_text(&out), expected);
	CU_ASSERT(name_columns(buf_text(&out), out.len) <= columns);
	buf_release(&out);
}

static void
is_unnamed(const char *module, const char *expected)
{
	struct buf out = {0};

	frame_put_unnamed(&out, module, strlen(module));
	UNIT_STR_EQ(buf_text(&out), expected);
	CU_ASSERT(frame_name_is_unknown(buf_text(&out)));
	buf_release(&out);
}

static void
a_frame_without_a_name_has_its_modules_in_brackets_once(void)
{
	is_unnamed("/usr/lib/libc.so.6", "[libc.so.6]");
	is_unnamed("/opt/app (deleted)", "[app]");
	is_unnamed("[kernel.kallsyms]", "[kernel.kallsyms]");
	is_unnamed("[vdso]", "[vdso]");
	is_unnamed("[open", "[[open]");
	is_unnamed("/usr/", "[unknown]");
	is_unnamed("", "[unknown]");
}

static void
suffixes_of_frames_are_words_in_a_sentence(void)
{
	reads_as("mix_[i]", 40, "mix (inlined)");
	reads_as("do_syscall_64_[k]", 40, "do_syscall_64 (kernel)");
	reads_as("LazyCompile:~run_[j]", 40, "LazyCompile:~run (JIT)");
	reads_as("epoll_wait_[w]", 40, "epoll_wait (waiting)");
	reads_as("f(int, int)_[i]", 20, "f(...) (inlined)");
	reads_as("a_name_of_it_[i]", 12, "a_name_of_it");
	reads_as("mix[i]", 40, "mix[i]");
}

static void
a_name_is_not_taken_for_a_verdict(void)
{
	reads_as("error", 7, "'error'");
	reads_as("Pass_[i]", 40, "'Pass' (inlined)");
	reads_as("errors", 40, "errors");
}

void
suite_profile_frame(void)
{
	static const struct unit_case cases[] = {
		{"marks_are_neither_functions_nor_unknown_code",
			marks_are_neither_functions_nor_unknown_code},
		{"a_suffix_tells_the_kind_and_reads_back", a_suffix_tells_the_kind_and_reads_back},
		{"a_frame_without_a_name_has_its_modules_in_brackets_once",
			a_frame_without_a_name_has_its_modules_in_brackets_once},
		{"suffixes_of_frames_are_words_in_a_sentence",
			suffixes_of_frames_are_words_in_a_sentence},
		{"a_name_is_not_taken_for_a_verdict", a_name_is_not_taken_for_a_verdict},
		{NULL, NULL},
	};

	unit_suite("profile/frame", cases);
}
