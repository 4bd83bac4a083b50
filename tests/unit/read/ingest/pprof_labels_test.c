/* Labels through a file and back: as output/pprof.h writes them. */
#include "base/mem.h"
#include "folded_check.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "output/pprof.h"
#include "pprof_made.h"
#include "profile/folded.h"
#include "profile/sample_values.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_ingest_pprof_labels(void);

/* The file of this folded text, whose stacks begin with the labels `by`. */
static void
make(struct buf *out, const char *by, const struct pprof_options *options)
{
	static const char text[] = "phase=parse;app one;main 3\nphase=print;app one;main 2\n"
				   "(no phase);app one;main 1\n";
	struct err err = {0};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text, strlen(text), &err), 0);
	profile.by = strtab_intern_str(&profile.strings, by);
	pprof_put_labelled(&profile, options, out);
	profile_release(&profile);
}

static int
read_made(struct profile *profile, const struct buf *made, const struct ingest_options *options,
	struct err *err)
{
	const struct file_view view = {.data = made->data, .len = made->len};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	return ingest_pprof.read(profile, &view, "x.pb", options, err);
}

static void
expect(const struct buf *made, const struct ingest_options *options, const char *folded)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(read_made(&profile, made, options, &err), 0);
	folded_check(&profile, folded);
	profile_release(&profile);
}

static const struct ingest_options everything;

static void
test_round_trip(void)
{
	const struct pprof_options options = {.labels = "side=before,workload=a=b"};
	struct buf made = {0};
	struct profile profile;
	struct err err;

	make(&made, "phase,thread", &options);
	CU_ASSERT_EQUAL_FATAL(read_made(&profile, &made, &everything, &err), 0);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.by), "phase,thread");
	profile_release(&profile);
	expect(&made, &everything,
		"(no phase);app one;main 1\nphase=parse;app one;main 3\n"
		"phase=print;app one;main 2\n");
	expect(&made,
		&(struct ingest_options){
			.by = {{{LABEL_OTHER, "workload"}, {LABEL_PHASE, "phase"}}, 2}},
		"workload=a=b;(no phase);main 1\nworkload=a=b;phase=parse;main 3\n"
		"workload=a=b;phase=print;main 2\n");
	expect(&made, &(struct ingest_options){.by = {{{LABEL_THREAD, "thread"}}, 1}},
		"app one;main 6\n");
	buf_release(&made);
}

static void
test_only(void)
{
	const struct ingest_options only = {
		.only = {LABEL_PHASE, "phase"},
		.only_value = "print",
		.by = {{{LABEL_PHASE, "phase"}}, 1},
	};
	struct buf made = {0};

	make(&made, "phase,thread", &(struct pprof_options){.labels = NULL});
	expect(&made, &only, "phase=print;main 2\n");
	buf_release(&made);
}

static void
test_runs(void)
{
	struct buf made = {0};

	make(&made, "phase,thread", &(struct pprof_options){.runs = true});
	expect(&made, &(struct ingest_options){.by = {{{LABEL_OTHER, "run"}}, 1}},
		"run=1;main 6\n");
	buf_release(&made);
}

/* Stacks of other programs' files begin with no labels. */
static void
test_unknown_roots(void)
{
	struct buf made = {0};

	make(&made, "", &(struct pprof_options){.labels = "side=after"});
	expect(&made, &(struct ingest_options){.by = {{{LABEL_OTHER, "side"}}, 1}},
		"side=after;(no phase);app one;main 1\nside=after;phase=parse;app one;main 3\n"
		"side=after;phase=print;app one;main 2\n");
	buf_release(&made);
}

static void
test_missing(void)
{
	const struct ingest_options by = {.by = {{{LABEL_OTHER, "tenant"}}, 1}};
	const struct ingest_options only = {.only = {LABEL_OTHER, "tenant"}, .only_value = "x"};
	const struct ingest_options *const asked[] = {&by, &only};
	struct buf made = {0};
	struct profile profile;
	struct err err;

	make(&made, "phase,thread", &(struct pprof_options){.labels = NULL});
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(read_made(&profile, &made, asked[i], &err), -1);
		UNIT_CONTAINS(err.text, "none of the samples that are read has the label 'tenant'");
		UNIT_CONTAINS(err.text, "the file's labels are: ");
		UNIT_CONTAINS(err.text, "thread");
		profile_release(&profile);
	}
	buf_release(&made);
}

static void
test_check(void)
{
	static const char *const wrong[] = {"", "a", "=b", "a=b,", "a=b,c"};
	struct err err = {0};

	CU_ASSERT_EQUAL(pprof_check_labels("a=b,c=", "label", &err), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err = (struct err){.kind = ERR_NONE};
		CU_ASSERT_EQUAL(pprof_check_labels(wrong[i], "label", &err), -1);
		UNIT_CONTAINS(err.text, "expected labels with their values");
	}
}

static const char *
text_of(const struct profile *profile, str_id text)
{
	return strtab_str(&profile->strings, text);
}

/* A list of types in a message ends where it is long, and so does the name of one. */
static void
many_types_are_not_all_listed(void)
{
	struct buf bytes = {0};
	struct profile profile;
	struct err err = {.kind = ERR_NONE};
	char name[400];

	memset(name, 'n', sizeof(name));
	put_bytes(&bytes, 6, "", 0);
	put_bytes(&bytes, 6, name, sizeof(name));
	put_bytes(&bytes, 6, "count", 5);
	for (unsigned i = 0; i < 1000; i++)
		MESSAGE(&bytes, 1, 1, 1, 2, 2);
	const struct file_view view = {.data = bytes.data, .len = bytes.len};

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_pprof.read(&profile, &view, "x.pb",
				&(struct ingest_options){.event = "other"}, &err),
		-1);
	const char *list = strstr(err.text, "its events are: ");

	CU_ASSERT_PTR_NOT_NULL_FATAL(list);
	list += strlen("its events are: ");
	/* Two names of 256 bytes. */
	CU_ASSERT_EQUAL(strspn(list, "n"), 256);
	CU_ASSERT_EQUAL(strspn(list + 258, "n"), 256);
	UNIT_STR_EQ(list + 258 + 256, ", ...");
	profile_release(&profile);
	buf_release(&bytes);
}

static void
test_values(void)
{
	struct sample_values values = {0};
	struct buf bytes = {0};
	struct profile profile;
	struct err err = {.kind = ERR_NONE};

	put_tables(&bytes, "objects", "count", "space", "bytes");
	MESSAGE(&bytes, 11, 1, 3, 2, 4);
	put_number(&bytes, 12, 512);
	put_number(&bytes, 14, 3);
	/* Nothing of the type that is read, none of any, and a text. */
	put_labelled(&bytes, 7, 0, 3, 0, (uint64_t)-5, 4);
	put_labelled(&bytes, 0, 0, 3, 0, 16, 4);
	put_labelled(&bytes, 2, 2048, 1, 6, 0, 0);
	const struct file_view view = {.data = bytes.data, .len = bytes.len};

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(ingest_pprof.read(&profile, &view, "x.pb",
				      &(struct ingest_options){.values = &values}, &err),
		0);
	folded_check(&profile, "prog;main 2048\n");
	CU_ASSERT_EQUAL_FATAL(values.ntypes, 2);
	UNIT_STR_EQ(text_of(&profile, values.types[0].name), "objects");
	UNIT_STR_EQ(text_of(&profile, values.types[1].unit), "bytes");
	UNIT_STR_EQ(text_of(&profile, values.period_type.name), "space");
	UNIT_STR_EQ(text_of(&profile, values.default_type), "space");
	CU_ASSERT_EQUAL(values.period, 512);
	CU_ASSERT_EQUAL_FATAL(values.nsamples, 2);
	CU_ASSERT_EQUAL_FATAL(values.nvalues, 4);
	CU_ASSERT_EQUAL(values.values[0], 7);
	CU_ASSERT_EQUAL(values.values[3], 2048);
	CU_ASSERT_EQUAL_FATAL(values.nlabels, 2);
	UNIT_STR_EQ(text_of(&profile, values.labels[0].key), "space");
	CU_ASSERT_EQUAL(values.labels[0].text, 0);
	CU_ASSERT_EQUAL(values.labels[0].number, -5);
	UNIT_STR_EQ(text_of(&profile, values.labels[0].unit), "bytes");
	UNIT_STR_EQ(text_of(&profile, values.labels[1].text), "main");
	profile_release(&profile);
	sample_values_release(&values);
	/* For one type that is requested there are no others. */
	profile_init(&profile);
	CU_ASSERT_EQUAL(
		ingest_pprof.read(&profile, &view, "x.pb",
			&(struct ingest_options){.values = &values, .event = "objects"}, &err),
		0);
	CU_ASSERT_EQUAL(values.ntypes, 0);
	profile_release(&profile);
	buf_release(&bytes);
}

/* A tag and a length can be all that a label has in the file, and its key be long. */
static void
test_many_labels(void)
{
	struct sample_values values = {0};
	struct buf bytes = {0};
	struct buf message = {0};
	struct profile profile;
	struct err err = {.kind = ERR_NONE};
	char *name = mem_zalloc(1, 1 << 20);

	memset(name, 'x', 1 << 20);
	put_tables(&bytes, "objects", "count", "space", "bytes");
	put_bytes(&bytes, 6, name, 1 << 20);
	put_number(&message, 1, 1);
	put_number(&message, 2, 3);
	put_number(&message, 2, 4);
	for (size_t i = 0; i < 2000; i++)
		MESSAGE(&message, 3, 1, 10, 3, 1);
	put_bytes(&bytes, 2, buf_text(&message), message.len);
	const struct file_view view = {.data = bytes.data, .len = bytes.len};

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_pprof.read(&profile, &view, "x.pb",
				&(struct ingest_options){.values = &values}, &err),
		-1);
	UNIT_CONTAINS(err.text, "has more values and labels than a file of this size has");
	profile_release(&profile);
	sample_values_release(&values);
	free(name);
	buf_release(&message);
	buf_release(&bytes);
}

static void
test_lines(void)
{
	struct buf bytes = {0};
	struct profile profile;
	struct err err = {.kind = ERR_NONE};

	put_tables(&bytes, "samples", "count", "cpu", "nanoseconds");
	put_sample(&bytes, LOCATIONS(2, 1), 3, 12);
	const struct file_view view = {.data = bytes.data, .len = bytes.len};

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(ingest_pprof.read(&profile, &view, "x.pb",
				      &(struct ingest_options){.at_lines = true}, &err),
		0);
	folded_check(&profile, "prog;main;work:x;help_[i] 3\n");
	size_t nlines = 0;

	for (frame_id i = 0; i < profile.frames.nframes; i++)
		nlines += profile.frames.frames[i].at_line == 7;
	CU_ASSERT_EQUAL(nlines, 3);
	profile_release(&profile);
	buf_release(&bytes);
}

static int
read_pair(struct profile *profile, const struct buf *bytes, struct err *err)
{
	const struct file_view view = {.data = bytes->data, .len = bytes->len};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	return ingest_pprof.read(
		profile, &view, "x.pb", &(struct ingest_options){.pair = true}, err);
}

static void
test_difference(void)
{
	struct profile profile;
	struct buf bytes = {0};
	struct err err;

	put_tables(&bytes, "objects", "count", "space", "bytes");
	put_bytes(&bytes, 6, "pprof::base", strlen("pprof::base"));
	put_bytes(&bytes, 6, "true", strlen("true"));
	put_sample(&bytes, LOCATIONS(2, 1), 3, 30);
	const size_t one_side = bytes.len;

	CU_ASSERT_EQUAL(read_pair(&profile, &bytes, &err), -1);
	UNIT_CONTAINS(err.text, "x.pb: is one profile, not a difference of two");
	profile_release(&profile);
	put_labelled(&bytes, (uint64_t)-1, (uint64_t)-10, 10, 11, 0, 0);
	const struct file_view view = {.data = bytes.data, .len = bytes.len};

	profile_init(&profile);
	CU_ASSERT_EQUAL(ingest_pprof.read(&profile, &view, "x.pb",
				&(struct ingest_options){.pair = false}, &err),
		-1);
	UNIT_CONTAINS(err.text, "is negative");
	UNIT_CONTAINS(err.text, "'profile_run diff --input FILE' reads it");
	profile_release(&profile);
	CU_ASSERT_EQUAL_FATAL(read_pair(&profile, &bytes, &err), 0);
	CU_ASSERT_EQUAL_FATAL(profile.nruns, 2);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 10);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 1), 30);
	profile_release(&profile);
	/* pprof -base leaves no sides. */
	bytes.len = one_side;
	put_sample(&bytes, LOCATIONS(1), (uint64_t)-1, (uint64_t)-10);
	CU_ASSERT_EQUAL(read_pair(&profile, &bytes, &err), -1);
	UNIT_CONTAINS(err.text, "that lacks what both have in common");
	profile_release(&profile);
	buf_release(&bytes);
}

static const struct unit_case cases[] = {
	{"labels_go_through_a_file_and_back", test_round_trip},
	{"samples_of_one_value_are_selected", test_only},
	{"each_run_has_a_label", test_runs},
	{"frames_that_are_no_labels_stay", test_unknown_roots},
	{"a_label_that_no_sample_has_is_an_error", test_missing},
	{"given_labels_are_checked", test_check},
	{"values_of_all_types_and_labels_are_kept", test_values},
	{"many_types_are_not_all_listed", many_types_are_not_all_listed},
	{"few_bytes_do_not_make_many_labels", test_many_labels},
	{"lines_of_the_code_are_frames_where_wanted", test_lines},
	{"a_difference_has_two_sides", test_difference},
	{NULL, NULL},
};

void
suite_ingest_pprof_labels(void)
{
	unit_suite("ingest/pprof_labels", cases);
}
