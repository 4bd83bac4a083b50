
#include "watch/windows_history.h"

#include "base/random.h"
#include "history/trend.h"
#include "history/trend_live.h"
#include "scratch.h"
#include "unit.h"
#include "watch/windows.h"
#include "windows_fixture.h"

#include <math.h>
#include <string.h>

void suite_watch_windows_history(void);

/* The entry of a program or function in window `number`; NULL: none. */
static const struct history_entry *
entry_of(const struct history *history, const char *program, const char *function, unsigned number)
{
	for (size_t i = 0; i < history->nfiles; i++) {
		const struct history_file *file = &history->files[i];

		for (size_t k = 0; k < file->nentries; k++) {
			if (strcmp(file->workload, program) == 0 &&
				strcmp(file->entries[k].function, function) == 0 &&
				file->entries[k].started == windows_fixture_start(number))
				return &file->entries[k];
		}
	}
	return NULL;
}

static void
shares_are_those_of_the_program(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	windows_fixture_add(&scratch, 0, "a;main;f 600\na;main 199\nb;g_[k] 200\n");
	CU_ASSERT_EQUAL_FATAL(windows_read(&history, scratch.dir, 0, &err), 0);
	const struct history_entry *program = entry_of(&history, "a", "", 0);
	const struct history_entry *function = entry_of(&history, "a", "f", 0);

	UNIT_NEED(program);
	UNIT_NEED(function);
	UNIT_NEAR(program->cost, 100 * 799.5 / 1000, 1e-9);
	UNIT_NEAR(function->cost, 100 * 600.5 / 800, 1e-9);
	UNIT_NEAR(function->error, sqrt((1 - 600.5 / 800) / 600.5), 1e-9);
	CU_ASSERT_PTR_NOT_NULL(entry_of(&history, "b", "g_[k]", 0));
	CU_ASSERT_PTR_NULL(entry_of(&history, "a", "g_[k]", 0));
	history_release(&history);
	scratch_release(&scratch);
}

static void
small_ones_are_left_out(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	windows_fixture_add(&scratch, 0, "a;f 990\na;g 9\na;h 4\nc;f 4\n");
	CU_ASSERT_EQUAL_FATAL(windows_read(&history, scratch.dir, 0, &err), 0);
	CU_ASSERT_PTR_NOT_NULL(entry_of(&history, "a", "f", 0));
	CU_ASSERT_PTR_NULL(entry_of(&history, "a", "g", 0));
	CU_ASSERT_PTR_NULL(entry_of(&history, "a", "h", 0));
	CU_ASSERT_PTR_NULL(entry_of(&history, "c", "", 0));
	history_release(&history);
	scratch_release(&scratch);
}

/* The windows before it appeared have a share, too, so that the change is found. */
static void
a_new_function_has_all_windows(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	for (unsigned i = 0; i < 40; i++)
		windows_fixture_add(&scratch, i, i < 36 ? "a;f 999\n" : "a;f 899\na;g 100\n");
	CU_ASSERT_EQUAL_FATAL(windows_read(&history, scratch.dir, 0, &err), 0);
	const struct history_entry *before = entry_of(&history, "a", "g", 0);

	UNIT_NEED(before);
	UNIT_NEAR(before->cost, 100 * 0.5 / 1000, 1e-9);
	CU_ASSERT_EQUAL(windows_recent_from(&history, 7), windows_fixture_start(32));
	CU_ASSERT_EQUAL(windows_recent_from(&history, 100), 0);
	history_release(&history);
	CU_ASSERT_EQUAL_FATAL(windows_read(&history, scratch.dir, 3, &err), 0);
	CU_ASSERT_PTR_NULL(entry_of(&history, "a", "g", 36));
	CU_ASSERT_PTR_NOT_NULL(entry_of(&history, "a", "g", 37));
	history_release(&history);
	scratch_release(&scratch);
}

static void
a_folder_without_windows_is_an_error(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(windows_read(&history, scratch.dir, 0, &err), -1);
	UNIT_CONTAINS(err.text, "there is no window of a watch");
	scratch_release(&scratch);
}

static void
a_broken_window_is_named(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	windows_fixture_add(&scratch, 0, "a;f 1\n");
	CU_ASSERT_EQUAL(
		file_write(scratch_path(&scratch, "20270115T090000Z.folded"), "a;f x\n", 6, &err),
		0);
	CU_ASSERT_EQUAL(windows_read(&history, scratch.dir, 0, &err), -1);
	UNIT_CONTAINS(err.text, "20270115T090000Z.folded:1:");
	scratch_release(&scratch);
}

/* The number of samples in a part of `share`, of `n`: a binomial draw. */
static unsigned
draw(struct random *random, unsigned n, double share)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < n; i++)
		hits += random_unit(random) < share;
	return hits;
}

/*
 * Alerts of `windows` windows of ten functions; the first has `growth` times its share at the end.
 */
static size_t
alerts_of(uint64_t seed, unsigned windows, double growth, bool *first)
{
	struct change_search search = change_search_default;
	struct random random = {random_mix(seed)};
	struct scratch scratch;
	struct history history;
	struct trend trend;
	struct err err = {0};

	scratch_init(&scratch);
	for (unsigned i = 0; i < windows; i++) {
		struct buf text = {0};

		for (unsigned k = 0; k < 10; k++) {
			double share = k == 0 && i + 4 >= windows ? 0.1 * growth : 0.1;

			buf_printf(&text, "a;f%u %u\n", k, 1 + draw(&random, 600, share));
		}
		windows_fixture_add(&scratch, i, buf_text(&text));
		buf_release(&text);
	}
	CU_ASSERT_EQUAL_FATAL(windows_read(&history, scratch.dir, 0, &err), 0);
	search.threshold = WINDOWS_THRESHOLD;
	trend_init(&trend, &history, &search, NULL, 0);
	size_t n = trend_count_live(&trend, windows_recent_from(&history, WINDOWS_ALERT));

	*first = trend.nchanges > 0 && strcmp(trend.changes[0].series->function, "f0") == 0;
	trend_release(&trend);
	history_release(&history);
	scratch_release(&scratch);
	return n;
}

/* 40 machines of ten functions; a share of 10 % of 600 samples varies by 13 % (SD). */
static void
windows_alike_alert_nobody(void)
{
	size_t alerts = 0;
	bool first;

	for (uint64_t seed = 1; seed <= 40; seed++)
		alerts += alerts_of(seed, 30, 1, &first);
	CU_ASSERT_EQUAL(alerts, 0);
}

static void
a_function_that_doubles_is_an_alert(void)
{
	size_t found = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		bool first;

		found += alerts_of(seed, 30, 2, &first) >= 1 && first;
	}
	CU_ASSERT_TRUE(found >= 9);
}

void
suite_watch_windows_history(void)
{
	static const struct unit_case cases[] = {
		{"shares_are_those_of_the_program", shares_are_those_of_the_program},
		{"small_ones_are_left_out", small_ones_are_left_out},
		{"a_new_function_has_all_windows", a_new_function_has_all_windows},
		{"a_folder_without_windows_is_an_error", a_folder_without_windows_is_an_error},
		{"a_broken_window_is_named", a_broken_window_is_named},
		{"windows_alike_alert_nobody", windows_alike_alert_nobody},
		{"a_function_that_doubles_is_an_alert", a_function_that_doubles_is_an_alert},
		{NULL, NULL},
	};

	unit_suite("watch/windows_history", cases);
}
