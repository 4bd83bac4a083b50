#include "history/entry.h"

#include "base/mem.h"
#include "unit.h"

#include <math.h>
#include <string.h>

void suite_history_entry(void);

static const struct history_entry paired = {
	.started = 1795400000,
	.commit = "0123456789abcdef0123456789abcdef01234567",
	.metric = "cpu",
	.unit = "ns",
	.cost = 1234567.25,
	.error = 0.0125,
	.paired = true,
	.against = "fedcba9876543210fedcba9876543210fedcba98",
	.ratio = 1.0625,
	.ratio_error = 0.004,
	.version = "0.1.0",
	.report = "../reports/2026-11-23T02-23-09Z",
	.function = "parse_value",
	.work = "0123456789abcdef",
};

static const char paired_line[] =
	"2026-11-23T02:13:20Z\t0123456789abcdef0123456789abcdef01234567\tcpu\tns\t1234567.25\t"
	"0.0125\tpaired\tfedcba9876543210fedcba9876543210fedcba98\t1.0625\t0.004\t0.1.0\t"
	"../reports/2026-11-23T02-23-09Z\tparse_value\t0123456789abcdef";

static int
parse(struct history_entry *entry, const char *line, struct arena *arena, struct err *err)
{
	const struct location at = {.file = "h.tsv",
		.line = 7,
		.column = 1,
		.line_text = line,
		.line_len = strlen(line)};

	return history_entry_parse(entry, &at, arena, err);
}

static void
an_entry_is_a_line_of_fourteen_fields(void)
{
	struct buf out = {0};

	history_entry_put(&paired, &out);
	CU_ASSERT_EQUAL(out.len, strlen(paired_line) + 1);
	CU_ASSERT_EQUAL(memcmp(buf_text(&out), paired_line, strlen(paired_line)), 0);
	buf_release(&out);
}

static void
a_line_is_read_back(void)
{
	struct history_entry entry;
	struct arena arena = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(parse(&entry, paired_line, &arena, &err), 0);
	CU_ASSERT_EQUAL(history_entry_compare(&entry, &paired), 0);
	CU_ASSERT_EQUAL(entry.started, paired.started);
	CU_ASSERT_EQUAL(entry.cost, paired.cost);
	CU_ASSERT_EQUAL(entry.error, paired.error);
	CU_ASSERT_TRUE(entry.paired);
	CU_ASSERT_EQUAL(entry.ratio, paired.ratio);
	CU_ASSERT_EQUAL(entry.ratio_error, paired.ratio_error);
	CU_ASSERT_STRING_EQUAL(entry.unit, "ns");
	CU_ASSERT_STRING_EQUAL(entry.version, "0.1.0");
	CU_ASSERT_STRING_EQUAL(entry.report, paired.report);
	CU_ASSERT_STRING_EQUAL(entry.work, paired.work);
	arena_release(&arena);
}

static void
an_older_line_has_no_work(void)
{
	struct history_entry entry;
	struct arena arena = {0};
	struct err err = {0};
	char *line = mem_strdup(paired_line);

	*strrchr(line, '\t') = '\0';
	CU_ASSERT_EQUAL_FATAL(parse(&entry, line, &arena, &err), 0);
	CU_ASSERT_STRING_EQUAL(entry.function, "parse_value");
	CU_ASSERT_STRING_EQUAL(entry.work, "");
	arena_release(&arena);
	free(line);
}

static void
names_of_any_bytes_survive(void)
{
	static const char *const names[] = {"", "-", "a\tb\nc\\d", "\x01\x7f\r", "<b>&\"'",
		"\xff\xfe invalid", "operator-", "\xe2\x80\xae reversed", "\\t", NULL};

	for (size_t i = 0; names[i]; i++) {
		struct history_entry entry = paired;
		struct history_entry again;
		struct arena arena = {0};
		struct buf out = {0};
		struct err err = {0};

		entry.function = names[i];
		history_entry_put(&entry, &out);
		out.data[--out.len] = '\0';
		CU_ASSERT_PTR_NULL(strchr(buf_text(&out), '\n'));
		CU_ASSERT_EQUAL_FATAL(parse(&again, buf_text(&out), &arena, &err), 0);
		CU_ASSERT_STRING_EQUAL(again.function, names[i]);
		arena_release(&arena);
		buf_release(&out);
	}
}

static void
a_damaged_line_is_refused_where_it_is_damaged(void)
{
	static const struct {
		const char *line;
		const char *error;
	} cases[] = {
		{"", "h.tsv:7:1: error: expected a time such as"},
		{"2026-11-23", "h.tsv:7:1: error: expected a time such as"},
		{"2026-11-31T02:13:20Z\tc", "h.tsv:7:1: error: expected a time that there is"},
		{"2026-11-23T02:13:20Z", "h.tsv:7:21: error: expected a tab and the commit"},
		{"2026-11-23T02:13:20Z\t\tcpu", "h.tsv:7:22: error: expected a text"},
		{"2026-11-23T02:13:20Z\tc\\q\tcpu", "h.tsv:7:23: error: expected \\t, \\n"},
		{"2026-11-23T02:13:20Z\tc\\x00\tcpu", "h.tsv:7:23: error: expected \\t, \\n"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\tmany",
			"h.tsv:7:31: error: expected a number above 0"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t0\t-",
			"h.tsv:7:31: error: expected a number above 0"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\tnan",
			"h.tsv:7:31: error: expected a number above 0"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t1e999\t-",
			"h.tsv:7:31: error: expected a number above 0"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t5\t-\tboth",
			"h.tsv:7:35: error: expected \"paired\" or \"stored\""},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t5\t-\tstored\t-\t-\t-\t1\tr\tf\tw\tmore",
			"h.tsv:7:55: error: expected the end of the line"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t5\t-\tpaired\t-\t-\t-\t1\tr\tf",
			"h.tsv:7:1: error: expected a ratio above 0 in a paired line"},
		{"2026-11-23T02:13:20Z\tc\tcpu\tns\t5\t-\tstored\t-\t1.5\t-\t1\tr\tf",
			"h.tsv:7:1: error: expected no ratio in a stored line"},
		{NULL, NULL},
	};

	for (size_t i = 0; cases[i].line; i++) {
		struct history_entry entry;
		struct arena arena = {0};
		struct err err = {0};

		CU_ASSERT_EQUAL(parse(&entry, cases[i].line, &arena, &err), -1);
		CU_ASSERT_EQUAL(strncmp(err.text, cases[i].error, strlen(cases[i].error)), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "note: remove the line"));
		arena_release(&arena);
	}
}

static void
order_is_time_first(void)
{
	struct history_entry later = paired;
	struct history_entry other = paired;

	later.started++;
	later.commit = "0";
	CU_ASSERT_TRUE(history_entry_compare(&paired, &later) < 0);
	CU_ASSERT_TRUE(history_entry_compare(&later, &paired) > 0);
	other.cost = 5;
	other.report = "elsewhere";
	CU_ASSERT_EQUAL(history_entry_compare(&paired, &other), 0);
}

void
suite_history_entry(void)
{
	static const struct unit_case cases[] = {
		{"an_entry_is_a_line_of_fourteen_fields", an_entry_is_a_line_of_fourteen_fields},
		{"a_line_is_read_back", a_line_is_read_back},
		{"an_older_line_has_no_work", an_older_line_has_no_work},
		{"names_of_any_bytes_survive", names_of_any_bytes_survive},
		{"a_damaged_line_is_refused_where_it_is_damaged",
			a_damaged_line_is_refused_where_it_is_damaged},
		{"order_is_time_first", order_is_time_first},
		{NULL, NULL},
	};

	unit_suite("history/entry", cases);
}
