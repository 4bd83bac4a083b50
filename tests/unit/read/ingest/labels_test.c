#include "ingest/labels.h"

#include "unit.h"

#include <string.h>

void suite_ingest_labels(void);

static void
test_parse(void)
{
	struct labels labels;
	struct err err = {0};
	struct buf text = {0};

	CU_ASSERT_EQUAL(labels_parse(&labels, "phase,thread,tenant", "by", &err), 0);
	CU_ASSERT_EQUAL_FATAL(labels.count, 3);
	CU_ASSERT_EQUAL(labels.all[0].kind, LABEL_PHASE);
	CU_ASSERT_EQUAL(labels.all[1].kind, LABEL_THREAD);
	CU_ASSERT_EQUAL(labels.all[2].kind, LABEL_OTHER);
	CU_ASSERT(labels_have(&labels, LABEL_PHASE));
	CU_ASSERT(!labels_have(&labels, LABEL_PID));
	labels_put(&labels, &text);
	UNIT_STR_EQ(buf_text(&text), "phase,thread,tenant");
	buf_release(&text);
}

static void
expect_error(const char *text, const char *part)
{
	struct labels labels;
	struct err err = {0};

	CU_ASSERT_EQUAL(labels_parse(&labels, text, "by", &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, part);
}

static void
test_errors(void)
{
	char longer[LABEL_NAME_MAX + 2];

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	expect_error("", "expected labels");
	expect_error("phase,", "expected labels");
	expect_error(longer, "expected labels");
	expect_error("pid,a,pid", "\"pid\" is there twice");
	expect_error("a,b,c,d,e", "more than 4 labels");
}

static void
test_frames(void)
{
	static const struct {
		const char *label;
		const char *value;
		const char *frame;
	} frames[] = {
		{"thread", "worker", "worker"},
		{"tid", "worker-7/8", "worker-7/8"},
		{"phase", "parse", "phase=parse"},
		{"tenant", "a=b", "tenant=a=b"},
		{"phase", NULL, "(no phase)"},
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct label label;
		struct buf text = {0};

		CU_ASSERT(label_find(&label, frames[i].label, strlen(frames[i].label)));
		label_put_frame(&label, frames[i].value, &text);
		UNIT_STR_EQ(buf_text(&text), frames[i].frame);
		buf_release(&text);
	}
}

static void
test_default(void)
{
	const struct labels none = {.count = 0};
	const struct labels *by = labels_or_thread(&none);

	CU_ASSERT_EQUAL_FATAL(by->count, 1);
	CU_ASSERT_EQUAL(by->all[0].kind, LABEL_THREAD);
}

static void
test_check(void)
{
	struct label label;
	struct err err = {0};

	CU_ASSERT(label_find(&label, "phase", 5));
	CU_ASSERT_EQUAL(label_check(&label, LABEL_BIT(LABEL_PHASE), "f", "x", &err), 0);
	CU_ASSERT_EQUAL(label_check(&label, LABELS_OF_THREADS, "f", "perf-script", &err), -1);
	UNIT_CONTAINS(err.text, "f: has no label 'phase': it is perf-script");
	UNIT_CONTAINS(err.text, "thread, process, pid, tid");
}

void
suite_ingest_labels(void)
{
	static const struct unit_case cases[] = {
		{"names_are_told_apart_and_kept_in_order", test_parse},
		{"what_is_no_list_of_labels_is_an_error", test_errors},
		{"frames_of_values_are_no_functions_names", test_frames},
		{"stacks_begin_with_the_thread_unless_told_otherwise", test_default},
		{"a_format_says_which_labels_it_has", test_check},
		{NULL, NULL},
	};

	unit_suite("ingest/labels", cases);
}
