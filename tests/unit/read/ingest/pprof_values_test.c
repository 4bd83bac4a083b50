/* What is read of a pprof file beside a tree of one type: all values, labels, lines, both sides. */
#include "base/mem.h"
#include "ingest/ingest.h"
#include "profile/sample_values.h"

#include "folded_check.h"
#include "pprof_made.h"
#include "unit.h"

#include <stdlib.h>

void suite_ingest_pprof_values(void);

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

void
suite_ingest_pprof_values(void)
{
	static const struct unit_case cases[] = {
		{"values_of_all_types_and_labels_are_kept", test_values},
		{"many_types_are_not_all_listed", many_types_are_not_all_listed},
		{"few_bytes_do_not_make_many_labels", test_many_labels},
		{"lines_of_the_code_are_frames_where_wanted", test_lines},
		{"a_difference_has_two_sides", test_difference},
		{NULL, NULL},
	};

	unit_suite("ingest/pprof_values", cases);
}
