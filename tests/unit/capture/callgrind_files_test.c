#include "capture/capture_internal.h"

#include "scratch.h"
#include "unit.h"

void suite_capture_callgrind_files(void);

struct fixture {
	struct scratch scratch;
	char into[128];
	double total;
	struct err err;
};

static void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	scratch_init(&f->scratch);
	snprintf(f->into, sizeof(f->into), "%s/joined", f->scratch.dir);
}

static void
put(struct fixture *f, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->scratch.dir, name);
	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &f->err), 0);
}

static int
join(struct fixture *f, pid_t first)
{
	return callgrind_files_join(f->scratch.dir, first, f->into, &f->total, &f->err);
}

static void
the_program_is_first_and_costs_are_added_up(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "100", "a\ntotals: 5\n");
	put(&f, "200.1", "b\ntotals: 7\n\n");
	put(&f, "200", "c\ntotals: 11\n");
	put(&f, "other", "d\n");
	CU_ASSERT_EQUAL(join(&f, 200), 0);
	CU_ASSERT_EQUAL(f.total, 23);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "c\ntotals: 11\nb\ntotals: 7\n\na\ntotals: 5\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
processes_are_in_the_order_of_their_numbers(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "1000", "d\ntotals: 1\n");
	put(&f, "200.10", "c\ntotals: 1\n");
	put(&f, "200.9", "b\ntotals: 1\n");
	put(&f, "99", "a\ntotals: 1\n");
	CU_ASSERT_EQUAL(join(&f, 1), 0);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "a\ntotals: 1\nb\ntotals: 1\nc\ntotals: 1\nd\ntotals: 1\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_file_that_is_not_whole_is_an_error(void)
{
	static const char *const texts[] = {"", "\n", "fn=f\n1 2\n", "totals: 3\n",
		"a\ntotals: 5\nfn=f\n", "a\ntotals:", "a\ntotals: 5"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fixture f;

		begin(&f);
		put(&f, "100", texts[i]);
		CU_ASSERT_EQUAL(join(&f, 100), -1);
		UNIT_CONTAINS(f.err.text, "not whole");
		CU_ASSERT_FALSE(file_exists(f.into));
		scratch_release(&f.scratch);
	}
}

static void
a_folder_without_a_file_is_an_error(void)
{
	struct fixture f;

	begin(&f);
	CU_ASSERT_EQUAL(join(&f, 1), -1);
	UNIT_CONTAINS(f.err.text, "left no profile");
	scratch_release(&f.scratch);
}

void
suite_capture_callgrind_files(void)
{
	static const struct unit_case cases[] = {
		{"the_program_is_first_and_costs_are_added_up",
			the_program_is_first_and_costs_are_added_up},
		{"processes_are_in_the_order_of_their_numbers",
			processes_are_in_the_order_of_their_numbers},
		{"a_file_that_is_not_whole_is_an_error", a_file_that_is_not_whole_is_an_error},
		{"a_folder_without_a_file_is_an_error", a_folder_without_a_file_is_an_error},
		{NULL, NULL},
	};

	unit_suite("capture/callgrind_files", cases);
}
