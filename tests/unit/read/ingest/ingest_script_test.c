/* perf script's text with options: script_events, script_roots and script_stacks as one reader. */
#include "base/log.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "profile/folded.h"
#include "unit.h"

void suite_ingest_ingest_script(void);

static int
read_text(const char *text, const struct ingest_options *options, struct buf *out)
{
	static const struct ingest_options everything;
	struct file_view view = {.data = text, .len = strlen(text)};
	struct profile profile;
	struct err err = {0};
	enum log_level level = log_get_level();

	profile_init(&profile);
	log_set_level(LOG_ERROR);
	int result = ingest_script.read(
		&profile, &view, "in.txt", options ? options : &everything, &err);

	log_set_level(level);
	if (result == 0) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_SUM, out);
	} else {
		buf_puts(out, err.text);
	}
	profile_release(&profile);
	return result;
}

static void
expect(const char *text, struct ingest_options options, const char *expected)
{
	struct buf out = {0};

	CU_ASSERT_EQUAL(read_text(text, &options, &out), 0);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
expect_error(const char *text, struct ingest_options options, const char *part)
{
	struct buf out = {0};

	CU_ASSERT_EQUAL(read_text(text, &options, &out), -1);
	UNIT_CONTAINS(buf_text(&out), part);
	buf_release(&out);
}

static const char several[] = "web 10/10 [001]  1.5:  100 cycles:u: \n"
			      "\t            1010 a+0x1 (/p)\n"
			      "\n"
			      "pool 10/11 [002]  1.6:  100 page-faults: \n"
			      "\t            1010 b+0x1 (/p)\n"
			      "\n"
			      "pool 10/11 [002]  1.7:  100 cycles:u: \n"
			      "\t            1010 c+0x1 (/p)\n"
			      "\n"
			      "web 20/20 [001]  1.8:  100 cycles:u: \n"
			      "\t            1010 d+0x1 (/p)\n"
			      "\n"
			      "pool 30/31 [001]  1.9:  100 cycles:u: \n"
			      "\t            1010 e+0x1 (/p)\n"
			      "\n";

static void
an_event_is_chosen_with_or_without_its_modifiers(void)
{
	expect(several, (struct ingest_options){0},
		"pool;c 100\npool;e 100\nweb;a 100\nweb;d 100\n");
	expect(several, (struct ingest_options){.event = "page-faults"}, "pool;b 100\n");
	expect(several, (struct ingest_options){.event = "cycles", .pid = 20}, "web;d 100\n");
	expect(several, (struct ingest_options){.event = "cycles:u", .pid = 20}, "web;d 100\n");
	expect_error(several, (struct ingest_options){.event = "cycle"}, "has no event 'cycle'");
	expect_error(several, (struct ingest_options){.event = "x"}, "cycles:u, page-faults");
}

#define SAMPLE(event, name) \
	"p 1/1 [000] 1.0:          1 " event ": \n\t            1010 " name "+0x1 (/p)\n\n"

static void
events_of_a_hybrid_cpu_are_added(void)
{
	static const char text[] = SAMPLE("cpu_atom/cycles/P", "a") SAMPLE("page-faults", "b")
		SAMPLE("page-faults", "b") SAMPLE("cpu_core/cycles/", "a")
			SAMPLE("cpu_core/cycles/", "c") SAMPLE("cpu_core/cycles/u", "d");

	expect(text, (struct ingest_options){0}, "p;a 2\np;c 1\n");
	expect(text, (struct ingest_options){.event = "cycles"}, "p;a 2\np;c 1\n");
	expect(text, (struct ingest_options){.event = "cpu_core/cycles/"}, "p;a 1\np;c 1\n");
	expect(text, (struct ingest_options){.event = "cpu_core/cycles/u"}, "p;d 1\n");
	expect(text, (struct ingest_options){.event = "cycles:u"}, "p;d 1\n");
}

/* Stacks and functions of other events leave no trace. */
static void
an_event_is_chosen_exactly(void)
{
	static const char text[] = SAMPLE("cpu-clock:u", "a") SAMPLE("cpu-clock", "b")
		SAMPLE("cpu-clock", "c") SAMPLE("cpu-clock:u", "c") SAMPLE("cpu-clock:u", "d");
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = "cpu-clock"};
	struct profile profile;
	struct err err = {0};

	expect(text, (struct ingest_options){.event = "cpu-clock"}, "p;b 1\np;c 1\n");
	expect(text, (struct ingest_options){.event = "cpu-clock:u"}, "p;a 1\np;c 1\np;d 1\n");
	expect(text, (struct ingest_options){0}, "p;a 1\np;c 1\np;d 1\n");
	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_script.read(&profile, &view, "in.txt", &options, &err), 0);
	CU_ASSERT_EQUAL(profile.tree.nnodes, 4);
	CU_ASSERT_EQUAL(profile.frames.nframes, 4);
	CU_ASSERT_EQUAL(profile.runs[0].samples, 2);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.event), "cpu-clock");
	profile_release(&profile);
}

static void
threads_are_chosen_by_name_and_ids(void)
{
	expect(several, (struct ingest_options){.comm = "web"}, "web;a 100\nweb;d 100\n");
	expect(several, (struct ingest_options){.pid = 10}, "pool;c 100\nweb;a 100\n");
	expect(several, (struct ingest_options){.tid = 11}, "pool;c 100\n");
	expect_error(several, (struct ingest_options){.tid = 7}, "5 samples of other threads");
}

static void
the_root_is_what_was_asked_for(void)
{
	expect(several, (struct ingest_options){.by = {{{LABEL_PID, "pid"}}, 1}},
		"pool-10;c 100\npool-30;e 100\nweb-10;a 100\nweb-20;d 100\n");
	expect(several, (struct ingest_options){.by = {{{LABEL_TID, "tid"}}, 1}},
		"pool-10/11;c 100\npool-30/31;e 100\nweb-10/10;a 100\nweb-20/20;d 100\n");
	expect(several, (struct ingest_options){.by = {{{LABEL_PROCESS, "process"}}, 1}},
		":30;e 100\nweb;a 100\nweb;c 100\nweb;d 100\n");
}

/* perf raises and lowers the period while it records at a frequency. */
static const char faults[] = "p 1/1 [000] 1.000001:         10 page-faults: \n"
			     "\t          401010 sparse+0x10 (/opt/prog)\n"
			     "\n"
			     "p 1/1 [000] 1.000002:     990 page-faults: \n"
			     "\t          401020 dense+0x10 (/opt/prog)\n"
			     "\n";

static const char clocks[] = "p 1 1.5: 250000 cpu-clock:ppp: \n"
			     "\t            1010 a+0x1 (/p)\n"
			     "\n"
			     "p 1 1.6: 250000 cpu-clock:ppp: \n"
			     "\t            1010 b+0x1 (/p)\n"
			     "\n"
			     "p 1 1.7: 1000000 cpu-clock:ppp: \n"
			     "\t            1010 a+0x1 (/p)\n"
			     "\n";

static void
a_sample_weighs_its_period(void)
{
	const struct ingest_options samples = {.weight = SAMPLE_WEIGHS_ONE};

	expect(faults, (struct ingest_options){0}, "p;dense 990\np;sparse 10\n");
	expect(faults, samples, "p;dense 1\np;sparse 1\n");
	/* Without a period it weighs one. */
	expect("p 1 1.5: page-faults: \n\t 1010 f+0x1 (/p)\n", (struct ingest_options){0},
		"p;f 1\n");
}

static void
samples_of_a_clock_weigh_their_periods_only_where_these_differ(void)
{
	char alike[sizeof(clocks)];

	memcpy(alike, clocks, sizeof(clocks));
	*strstr(alike, "p 1 1.7") = '\0';
	expect(alike, (struct ingest_options){0}, "p;a 1\np;b 1\n");
	expect(alike, (struct ingest_options){.weight = SAMPLE_WEIGHS_PERIOD},
		"p;a 250000\np;b 250000\n");
	expect(clocks, (struct ingest_options){0}, "p;a 1250000\np;b 250000\n");
	expect(clocks, (struct ingest_options){.weight = SAMPLE_WEIGHS_ONE}, "p;a 2\np;b 1\n");
}

static void
names_of_threads_can_look_like_ids(void)
{
	expect("a 1 2 5.5: cycles:\n\t 1 f (/p)\n\na 1 5.6: cycles:\n\t 1 g (/p)\n\n"
	       "a 1 2 5.7: cycles:\n\t 1 f (/p)\n\na 1 23 5.7: cycles:\n\t 1 f (/p)\n",
		(struct ingest_options){0}, "a;g 1\na_1;f 3\n");
}

static void
a_frame_may_look_like_a_header(void)
{
	expect("node 7 1.5: cycles: \n"
	       "\t            1010 LazyCompile: 12 f: a.js:1 (/tmp/perf-7.map)\n"
	       "\t            1020 main (/p)\n",
		(struct ingest_options){0}, "node;main;LazyCompile: 12 f: a.js:1_[j] 1\n");
}

static void
fields_among_and_behind_frames_are_no_frames(void)
{
	expect("p 7 1.5: cycles: \n"
	       "\t            1010 f+0x1 (/p)\n"
	       "  f.c:12\n"
	       "\t            1020 main+0x5 (/p)\r\n"
	       "  main.c:3\n"
	       " 0x1010/0x1020/P/-/-/0\n"
	       "\n",
		(struct ingest_options){0}, "p;main;f 1\n");
	expect_error("p 7 1.5: cycles: \n"
		     "\t            1010 f+0x1 (/p)\n"
		     "\t            1020 no module\n",
		(struct ingest_options){0}, "in.txt:3:1: error:");
}

/*
 * The same samples as perf aligns them, which is read fast, and with shorter indentation, which is
 * read line by line.
 */
static void
aligned_and_other_lines_read_the_same(void)
{
	static const char *const modules[] = {
		"(/usr/lib/libc.so.6)", "([kernel.kallsyms])", "(inlined)", "(/tmp/perf-1.map)"};
	struct buf aligned = {0};
	struct buf other = {0};
	struct buf expected = {0};
	struct buf got = {0};
	uint64_t x = 88172645463325252u;

	for (unsigned sample = 0; sample < 3000; sample++) {
		buf_printf(&aligned, "app %u [00%u]  %u.25:  100 cycles: \n", sample % 3,
			sample % 2, sample);
		buf_printf(&other, "app %u [00%u]  %u.25:  100 cycles: \n", sample % 3, sample % 2,
			sample);
		for (unsigned depth = (unsigned)(x >> 20) % 12; depth > 0; depth--) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			unsigned f = (unsigned)(x >> 33) % 40;
			const char *name = f == 0 ? "[unknown]" : "some::function(int, char)";
			const char *module = modules[f % 4];

			buf_printf(&aligned, "\t%16lx %s%.*s+0x%x %s\n", (unsigned long)(x >> 40),
				name, (int)(f % 9), "_longer_x", f, module);
			buf_printf(&other, "\t%lx %s%.*s+0x%x %s\n", (unsigned long)(x >> 40), name,
				(int)(f % 9), "_longer_x", f, module);
		}
		buf_puts(&aligned, "\n");
		buf_puts(&other, "\n");
	}
	CU_ASSERT_EQUAL(read_text(buf_text(&aligned), NULL, &got), 0);
	CU_ASSERT_EQUAL(read_text(buf_text(&other), NULL, &expected), 0);
	UNIT_STR_EQ(buf_text(&got), buf_text(&expected));
	buf_release(&aligned);
	buf_release(&other);
	buf_release(&expected);
	buf_release(&got);
}

static void
errors_name_the_line_after_lines_that_were_read_fast(void)
{
	expect_error("p 7 1.5: cycles: \n"
		     "\t            1010 f+0x1 (/p)\n"
		     "\t            1010 f+0x1 (/p)\n"
		     "\n"
		     "what\n",
		(struct ingest_options){0}, "in.txt:5:1: error:");
}

static void
names_of_threads_can_look_like_other_lines(void)
{
	static const char *const names[] = {"#hash", "Warning:", "12.5:", "w 7/8 1.5:", "sh: x"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf text = {0};
		struct buf got = {0};

		for (int sample = 0; sample < 2; sample++)
			buf_printf(&text,
				"%s 70707  2.%d:  100 cycles: \n\t            1010 f+0x1 (/p)\n\n",
				names[i], sample);
		CU_ASSERT_TRUE(ingest_script.detect(buf_text(&text), text.len));
		CU_ASSERT_EQUAL(read_text(buf_text(&text), NULL, &got), 0);
		CU_ASSERT_EQUAL(strlen(names[i]), strcspn(buf_text(&got), ";"));
		UNIT_CONTAINS(buf_text(&got), ";f 200\n");
		buf_release(&text);
		buf_release(&got);
	}
}

static void
a_line_that_was_cut_off_is_no_sample(void)
{
	expect_error("               p 7  1.5:  100 cycles:  1010 f+0x1 (/p)\n"
		     "               p 7  1.6:  10",
		(struct ingest_options){0}, "in.txt:2:1: error: no event, but other samples have");
	expect_error("               p 7  1.5:  100 \n"
		     "               p 7  1.6:  100 cycles:  1010 f+0x1 (/p)\n",
		(struct ingest_options){0}, "in.txt:2:1: error: an event, but other samples");
}

void
suite_ingest_ingest_script(void)
{
	static const struct unit_case cases[] = {
		{"an_event_is_chosen_with_or_without_its_modifiers",
			an_event_is_chosen_with_or_without_its_modifiers},
		{"events_of_a_hybrid_cpu_are_added", events_of_a_hybrid_cpu_are_added},
		{"an_event_is_chosen_exactly", an_event_is_chosen_exactly},
		{"threads_are_chosen_by_name_and_ids", threads_are_chosen_by_name_and_ids},
		{"the_root_is_what_was_asked_for", the_root_is_what_was_asked_for},
		{"a_sample_weighs_its_period", a_sample_weighs_its_period},
		{"samples_of_a_clock_weigh_their_periods_only_where_these_differ",
			samples_of_a_clock_weigh_their_periods_only_where_these_differ},
		{"names_of_threads_can_look_like_ids", names_of_threads_can_look_like_ids},
		{"a_frame_may_look_like_a_header", a_frame_may_look_like_a_header},
		{"fields_among_and_behind_frames_are_no_frames",
			fields_among_and_behind_frames_are_no_frames},
		{"aligned_and_other_lines_read_the_same", aligned_and_other_lines_read_the_same},
		{"errors_name_the_line_after_lines_that_were_read_fast",
			errors_name_the_line_after_lines_that_were_read_fast},
		{"names_of_threads_can_look_like_other_lines",
			names_of_threads_can_look_like_other_lines},
		{"a_line_that_was_cut_off_is_no_sample", a_line_that_was_cut_off_is_no_sample},
		{NULL, NULL},
	};

	unit_suite("ingest/ingest_script", cases);
}
