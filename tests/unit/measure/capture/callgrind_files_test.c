#include "capture/capture_internal.h"

#include "scratch.h"
#include "unit.h"

#include <math.h>

void suite_capture_callgrind_files(void);

struct fixture {
	struct scratch scratch;
	char into[128];
	struct surroundings surroundings;
	struct callgrind_totals totals;
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
	return callgrind_files_join(f->scratch.dir, first, metric_find("instructions"),
		&f->surroundings, f->into, &f->totals, &f->err);
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
	CU_ASSERT_EQUAL(f.totals.program, 23);
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
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("l1_misses"),
				&f.surroundings, f.into, &f.totals, &f.err),
		0);
	CU_ASSERT_EQUAL(f.totals.program, 322);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got),
		"a\ndesc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\nb\n"
		"totals: 1000 1 20 300\n"
		"desc: Metric: l1_misses\nevents: Ir I1mr D1mr D1mw\ntotals: 1000 1\n");
	CU_ASSERT_EQUAL(callgrind_files_join(f.scratch.dir, 100, metric_find("ll_misses"),
				&f.surroundings, f.into, &f.totals, &f.err),
		-1);
	UNIT_CONTAINS(f.err.text, "no events of the metric 'll_misses'");
	buf_release(&got);
	scratch_release(&f.scratch);
}

#define LOADER \
	"desc: Trigger: " CALLGRIND_LOADER_END "\nevents: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\n"

static void
the_loader_is_counted_by_itself(void)
{
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	put(&f, "100", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "100.1", LOADER "totals: 70\n");
	put(&f, "200", "events: Ir\nob=(1) /bin/static\ntotals: 1\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(f.totals.program, 6);
	CU_ASSERT_EQUAL(f.totals.loader, 70);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&got), "totals: 70"));
	buf_release(&got);
	scratch_release(&f.scratch);
}

static void
a_loader_that_is_not_told_apart_is_not_known(void)
{
	struct fixture f;

	begin(&f);
	put(&f, "100", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "200", "events: Ir\nob=(1) /lib/ld-linux-x86-64.so.2\ntotals: 5\n");
	put(&f, "200.1", LOADER "totals: 70\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(f.totals.program, 10);
	CU_ASSERT_TRUE(isnan(f.totals.loader));
	scratch_release(&f.scratch);
}

static void
files_of_the_place_are_named_as_outside(void)
{
	static char folder[] = "/srv/checkout";
	struct fixture f;
	struct buf got = {0};

	begin(&f);
	f.surroundings.place = (struct fixed_place){.folder = folder};
	put(&f, "100",
		"cmd: " FIXED_PLACE_FOLDER "/a b\nevents: Ir\nob=(1) " FIXED_PLACE_FOLDER
		"/lib/x.so\nfl=(1) " FIXED_PLACE "/other/y.c\n1 5\ntotals: 5\n");
	CU_ASSERT_EQUAL(join(&f, 100), 0);
	CU_ASSERT_EQUAL(file_read(f.into, &got, 1000, &f.err), 0);
	UNIT_STR_EQ(buf_text(&got),
		"cmd: /srv/checkout/a b\nevents: Ir\nob=(1) "
		"/srv/checkout/lib/x.so\nfl=(1) " FIXED_PLACE "/other/y.c\n1 5\ntotals: 5\n");
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
		{"the_loader_is_counted_by_itself", the_loader_is_counted_by_itself},
		{"a_loader_that_is_not_told_apart_is_not_known",
			a_loader_that_is_not_told_apart_is_not_known},
		{"files_of_the_place_are_named_as_outside",
			files_of_the_place_are_named_as_outside},
		{"a_file_that_is_not_whole_is_an_error", a_file_that_is_not_whole_is_an_error},
		{"a_folder_without_a_file_is_an_error", a_folder_without_a_file_is_an_error},
		{NULL, NULL},
	};

	unit_suite("capture/callgrind_files", cases);
}
