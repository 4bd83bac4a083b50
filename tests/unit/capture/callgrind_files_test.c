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
	return callgrind_files_join(
		f->scratch.dir, first, metric_find("instructions"), f->into, &f->total, &f->err);
}

static void
the_program_is_first_and_costs_are_added_up(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "100", "events: Ir\na\ntotals: 5\n");
	put(&f, "200.1", "events: Dr Ir\nb\ntotals: 1 7 9\n\n");
	put(&f, "200", "events: Ir\nc\ntotals: 11\n");
	put(&f, "other", "d\n");
	CU_ASSERT_EQUAL(join(&f, 200), 0);
	CU_ASSERT_EQUAL(f.total, 23);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "events: Ir\nc\ntotals: 11\nevents: Dr Ir\nb\ntotals: 1 7 9\n\n"
				    "events: Ir\na\ntotals: 5\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
processes_are_in_the_order_of_their_numbers(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "1000", "events: Ir\nd\ntotals: 1\n");
	put(&f, "200.10", "events: Ir\nc\ntotals: 1\n");
	put(&f, "200.9", "events: Ir\nb\ntotals: 1\n");
	put(&f, "99", "events: Ir\na\ntotals: 1\n");
	CU_ASSERT_EQUAL(join(&f, 1), 0);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got), "events: Ir\na\ntotals: 1\nevents: Ir\nb\ntotals: 1\n"
				    "events: Ir\nc\ntotals: 1\nevents: Ir\nd\ntotals: 1\n");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_sum_of_events_is_stated(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "100", "a\nevents: Ir I1mr D1mr D1mw\nb\ntotals: 1000 1 20 300\n");
	put(&f, "200", "events: Ir I1mr D1mr D1mw\ntotals: 1000 1\n");
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("l1_misses"), f.into,
				&f.total, &f.err),
		0);
	CU_ASSERT_EQUAL(f.total, 322);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got),
		"a\ndesc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\nb\n"
		"totals: 1000 1 20 300\n"
		"desc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\ntotals: 1000 1\n");
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("ll_misses"), f.into,
				&f.total, &f.err),
		-1);
	UNIT_CONTAINS(f.err.text, "no events of the metric 'll_misses'");
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_file_that_is_not_whole_is_an_error(void)
{
	static const char *const texts[] = {"", "\n", "events: Ir\nfn=f\n1 2\n", "totals: 3\n",
		"events: Ir\na\ntotals: 5\nfn=f\n",
		"events: Ir\na\ntotals:", "events: Ir\na\ntotals: 5", "events: Ir\na\ntotals: 5x\n",
		"events: Ir"};

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
		{"a_sum_of_events_is_stated", a_sum_of_events_is_stated},
		{"a_file_that_is_not_whole_is_an_error", a_file_that_is_not_whole_is_an_error},
		{"a_folder_without_a_file_is_an_error", a_folder_without_a_file_is_an_error},
		{NULL, NULL},
	};

	unit_suite("capture/callgrind_files", cases);
}
