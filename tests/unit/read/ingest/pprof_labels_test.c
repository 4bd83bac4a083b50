/* Labels through a file and back: as output/pprof.h writes them. */
#include "ingest/ingest.h"
#include "output/pprof.h"
#include "profile/folded.h"

#include "folded_check.h"
#include "unit.h"

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

void
suite_ingest_pprof_labels(void)
{
	static const struct unit_case cases[] = {
		{"labels_go_through_a_file_and_back", test_round_trip},
		{"samples_of_one_value_are_selected", test_only},
		{"each_run_has_a_label", test_runs},
		{"frames_that_are_no_labels_stay", test_unknown_roots},
		{"a_label_that_no_sample_has_is_an_error", test_missing},
		{"given_labels_are_checked", test_check},
		{NULL, NULL},
	};

	unit_suite("ingest/pprof_labels", cases);
}
