#include "output/trend_report.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_output_trend_html(void);

#define COMMITS 26

/* The page of one event that `ncommits` commits may have caused. */
static void
put_page(size_t ncommits, struct buf *out)
{
	static char names[COMMITS][8];
	struct recent_commit commits[COMMITS];
	struct history_entry entries[] = {{.started = 0, .cost = 1, .function = "", .report = ""},
		{.started = 86400, .cost = 1, .function = "", .report = ""}};
	struct trend_night nights[] = {{.entry = &entries[0]}, {.entry = &entries[1]}};
	struct change_point point = {.at = 1, .change = -0.5, .low = -0.6, .high = -0.4};
	struct trend_series series = {.workload = "w",
		.function = "f",
		.metric = "cpu",
		.machine_class = "m",
		.changes = &point,
		.nchanges = 1};
	struct trend_change change = {
		&series, &point, &nights[0], &nights[1], &nights[0], &nights[1]};
	const struct trend_change *changes[] = {&change};
	struct trend_event event = {.changes = changes,
		.nchanges = 1,
		.surely_before = &nights[0],
		.surely_after = &nights[1],
		.after = &nights[1]};
	struct trend_events events = {&event, 1};
	struct trend trend = {.series = &series, .changes = &change, .nchanges = 1};
	struct trend_report report = {.trend = &trend,
		.events = &events,
		.commits = {.items = commits, .count = COMMITS},
		.tool_version = "1",
		.history_dir = "",
		.to_history = "."};

	for (size_t i = 0; i < COMMITS; i++) {
		snprintf(names[i], sizeof(names[i]), "c%02zu", i);
		commits[i] = (struct recent_commit){names[i], "anna", "faster", ""};
	}
	entries[0].commit = names[ncommits];
	entries[1].commit = names[0];
	trend_put_html(&report, out);
}

static size_t
count(const struct buf *page, const char *text)
{
	size_t n = 0;

	for (const char *at = buf_text(page); (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void
the_newest_commits_are_shown(void)
{
	struct buf page = {0};

	put_page(20, &page);
	CU_ASSERT_EQUAL(count(&page, "</code> anna: faster</li>"), 20);
	CU_ASSERT_EQUAL(count(&page, " more</li>"), 0);
	buf_clear(&page);
	put_page(25, &page);
	CU_ASSERT_EQUAL(count(&page, "</code> anna: faster</li>"), 20);
	CU_ASSERT_EQUAL(count(&page, "<li>and 5 more</li>"), 1);
	buf_release(&page);
}

static const struct unit_case cases[] = {
	{"the_newest_commits_of_an_event_are_shown", the_newest_commits_are_shown},
	{NULL, NULL},
};

void
suite_output_trend_html(void)
{
	unit_suite("output/trend_html", cases);
}
