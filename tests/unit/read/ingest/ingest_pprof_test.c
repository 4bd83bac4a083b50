/* Compressed files by a real Go are in tests/fixtures/pprof. */
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "pprof_made.h"
#include "unit.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

void suite_ingest_ingest_pprof(void);

static int
read_bytes(struct profile *profile, const struct buf *bytes, const char *event, struct err *err)
{
	const struct file_view view = {.data = bytes->data, .len = bytes->len};
	const struct ingest_options options = {.event = event};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	CU_ASSERT(ingest_pprof.detect(view.data, view.len));
	return ingest_pprof.read(profile, &view, "x.pb", &options, err);
}

static void
expect(const struct buf *bytes, const char *event, const char *unit, const char *folded)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL_FATAL(read_bytes(&profile, bytes, event, &err), 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	profile_release(&profile);
}

static void
refuses(const struct buf *bytes, const char *event, const char *what)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL(read_bytes(&profile, bytes, event, &err), -1);
	if (!strstr(err.text, what))
		printf("  | %s\n", err.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, what));
	profile_release(&profile);
}

static void
test_stacks(void)
{
	struct buf bytes = {0};

	put_tables(&bytes, "objects", "count", "space", "kilobytes");
	put_sample(&bytes, LOCATIONS(2, 1), 3, 12);
	put_sample(&bytes, LOCATIONS(4, 1), 1, 2);
	put_sample(&bytes, LOCATIONS(2, 1), 2, 1);
	put_sample(&bytes, LOCATIONS(1), 0, 0);
	/* The same in fields that are not packed. */
	MESSAGE(&bytes, 2, 1, 2, 1, 1, 2, 1, 2, 1);
	expect(&bytes, NULL, "bytes", "prog;main;[prog] 2048\nprog;main;work:x;help_[i] 14336\n");
	expect(&bytes, "objects", "objects", "prog;main;[prog] 1\nprog;main;work:x;help_[i] 6\n");
	refuses(&bytes, "time", "x.pb: has no event 'time'");
	/* The file's default. */
	put_number(&bytes, 14, 1);
	expect(&bytes, NULL, "objects", "prog;main;[prog] 1\nprog;main;work:x;help_[i] 6\n");
	buf_release(&bytes);
}

static void
test_samples(void)
{
	struct profile profile;
	struct buf bytes = {0};
	struct err err;

	put_tables(&bytes, "samples", "count", "cpu", "nanoseconds");
	MESSAGE(&bytes, 11, 1, 3, 2, 4);
	put_number(&bytes, 12, 4000000);
	put_number(&bytes, 9, UINT64_C(1700000000000000000));
	put_number(&bytes, 10, 2500000000);
	put_sample(&bytes, LOCATIONS(2, 1), 3, 12000000);
	CU_ASSERT_EQUAL_FATAL(read_bytes(&profile, &bytes, NULL, &err), 0);
	CU_ASSERT(weights_are_samples(&profile));
	CU_ASSERT_EQUAL(profile.frequency_hz, 250);
	CU_ASSERT_EQUAL(profile.started, 1700000000);
	CU_ASSERT_EQUAL(profile.duration_s, 2.5);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 3);
	profile_release(&profile);
	expect(&bytes, "cpu", "ns", "prog;main;work:x;help_[i] 12000000\n");
	buf_release(&bytes);
}

/* Google's pprof writes lines with functions without a name; others refer to none. */
static void
test_unnamed(void)
{
	struct buf bytes = {0};

	put_tables(&bytes, "samples", "count", "cpu", "nanoseconds");
	MESSAGE(&bytes, 5, 1, 4, 4, 9);
	put_location(&bytes, 6, 1, (const uint64_t[]){4, 0});
	put_location(&bytes, 7, 1, (const uint64_t[]){77, 0});
	put_location(&bytes, 8, 9, (const uint64_t[]){4, 0});
	put_sample(&bytes, LOCATIONS(6, 1), 3, 12);
	put_sample(&bytes, LOCATIONS(7, 1), 4, 12);
	put_sample(&bytes, LOCATIONS(8, 1), 5, 12);
	expect(&bytes, NULL, "samples", "prog;main;[prog] 7\nprog;main;[unknown] 5\n");
	buf_release(&bytes);
}

static void
test_damaged(void)
{
	struct buf bytes = {0};

	put_tables(&bytes, "samples", "count", "cpu", "nanoseconds");
	const size_t whole = bytes.len;

	refuses(&bytes, NULL, "x.pb: holds no samples of 'samples'");
	put_sample(&bytes, LOCATIONS(2, 99), 3, 12);
	refuses(&bytes, NULL, "has a location that the file does not have");
	bytes.len = whole;
	put_sample(&bytes, LOCATIONS(2, 1), (uint64_t)-3, 12);
	refuses(&bytes, NULL, "is negative");
	refuses(&bytes, NULL, "give the two profiles to 'profile_run diff --before");
	bytes.len = whole;
	/* A list whose only number is cut, by its own length. */
	put_bytes(&bytes, 2, "\x0a\x01\x01\x12\x01\x80", 6);
	refuses(&bytes, NULL, "is not whole");
	bytes.len = whole;
	MESSAGE(&bytes, 2, 1, 1, 2, 3);
	refuses(&bytes, NULL, "has not one value of each type");
	bytes.len = whole;
	MESSAGE(&bytes, 5, 1, 50, 2, 90);
	refuses(&bytes, NULL, "the name of a function is text 90, which the file does not have");
	bytes.len = whole;
	put_sample(&bytes, LOCATIONS(2, 1), 3, 12);
	bytes.len--;
	refuses(&bytes, NULL, "x.pb: is cut or damaged: the field at byte ");
	buf_release(&bytes);
}

/* Few bytes that stand for many frames. */
static void
test_expansion(void)
{
	enum { FUNCTIONS = 32, SAMPLES = 400, DEPTH = 1000 };
	struct buf bytes = {0};
	uint64_t functions[FUNCTIONS + 1] = {0};
	uint64_t *locations = mem_zalloc(DEPTH, sizeof(*locations));

	put_tables(&bytes, "samples", "count", "cpu", "nanoseconds");
	for (size_t i = 0; i < FUNCTIONS; i++)
		functions[i] = 1;
	put_location(&bytes, 5, 1, functions);
	for (size_t i = 0; i < DEPTH; i++)
		locations[i] = 5;
	/* Each has its own callers, so that their stacks share no frames. */
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t bit = 0; i >> bit > 0; bit++)
			locations[DEPTH - 1 - bit] = 1 + (i >> bit & 1);
		put_sample(&bytes, locations, DEPTH, 1, 1);
	}
	refuses(&bytes, NULL, "makes more frames than a file of this size has");
	free(locations);
	buf_release(&bytes);
}

static void
test_other_types(void)
{
	struct buf bytes = {0};

	put_tables(&bytes, "objects", "count", "space", "bytes");
	put_sample(&bytes, LOCATIONS(2, 1), 3, 0);
	refuses(&bytes, NULL, "holds no samples of 'space'");
	refuses(&bytes, NULL, "it has some of: objects (--event)");
	buf_release(&bytes);
}

static void
test_detection(void)
{
	static const char *const others[] = {"", "\n", "main;work 3\n", "PERFILE2", "version: 1\n",
		"Hello: world\n", "P1\n", "8 3\n", "\x1f\x8b\x08", "\x0a\x04\x08\x01\x18\x02"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CU_ASSERT_FALSE(ingest_pprof.detect(others[i], strlen(others[i])));
}

static void
read_fixture(struct buf *out)
{
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_read("tests/fixtures/pprof/heap.pb.gz", out, SIZE_MAX, &err), 0);
}

static void
test_gzip(void)
{
	struct buf packed = {0};
	struct buf once = {0};
	struct buf twice = {0};
	struct err err = {0};

	read_fixture(&packed);
	CU_ASSERT_EQUAL_FATAL(gunzip(packed.data, packed.len, "x.gz", &once, &err), 0);
	/* Files can stand one behind the other. */
	const size_t len = packed.len;

	read_fixture(&packed);
	CU_ASSERT_EQUAL(packed.len, 2 * len);
	CU_ASSERT_EQUAL_FATAL(gunzip(packed.data, packed.len, "x.gz", &twice, &err), 0);
	CU_ASSERT_EQUAL(twice.len, 2 * once.len);
	CU_ASSERT_EQUAL(memcmp(twice.data + once.len, once.data, once.len), 0);
	buf_clear(&twice);
	CU_ASSERT_EQUAL(gunzip(packed.data, len - 1, "x.gz", &twice, &err), -1);
	UNIT_STR_EQ(err.text, "x.gz: its gzip data are cut");
	packed.data[len / 2] ^= 0x55;
	err = (struct err){.kind = ERR_NONE};
	CU_ASSERT_EQUAL(gunzip(packed.data, len, "x.gz", &twice, &err), -1);
	UNIT_STR_EQ(err.text, "x.gz: its gzip data are damaged");
	buf_release(&packed);
	buf_release(&once);
	buf_release(&twice);
}

void
suite_ingest_ingest_pprof(void)
{
	static const struct unit_case cases[] = {
		{"stacks_have_inlined_functions_and_the_program_at_their_root", test_stacks},
		{"samples_have_the_frequency_of_the_period", test_samples},
		{"code_without_a_name_is_that_of_its_file", test_unnamed},
		{"damage_is_an_error_that_says_where", test_damaged},
		{"few_bytes_do_not_make_many_frames", test_expansion},
		{"types_that_have_samples_are_named", test_other_types},
		{"other_files_are_not_taken_for_one", test_detection},
		{"gzip_is_expanded_whole_or_not_at_all", test_gzip},
		{NULL, NULL},
	};

	unit_suite("ingest/ingest_pprof", cases);
}
