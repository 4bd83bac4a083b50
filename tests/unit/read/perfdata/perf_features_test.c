#include "perfdata/reader_internal.h"
#include "perfdata/writer_internal.h"

#include "unit.h"

void suite_perfdata_perf_features(void);

/* Sections are put into memory; the events are cpu-clock with the ids 11, 12 and another with 21.
 */
struct bench {
	struct perf_features features;
	struct event_table events;
	struct arena arena;
	struct buf bytes; /* of the section in the making */
	struct err err;
};

static void
bench_init(struct bench *bench)
{
	const struct perf_event_attr attr = {.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID,
		.sample_id_all = 1};
	const uint64_t ids[] = {11, 12, 21};

	*bench = (struct bench){.features = {.texts.command = NULL}};
	event_table_add(&bench->events, &bench->arena, (const char *)&attr, sizeof(attr),
		(struct file_bytes){(const char *)ids, 2 * sizeof(ids[0])});
	event_table_add(&bench->events, &bench->arena, (const char *)&attr, sizeof(attr),
		(struct file_bytes){(const char *)(ids + 2), sizeof(ids[0])});
	CU_ASSERT_EQUAL(event_table_index(&bench->events, "x.data", &bench->err), 0);
}

static void
bench_release(struct bench *bench)
{
	perf_features_release(&bench->features);
	event_table_release(&bench->events);
	arena_release(&bench->arena);
	buf_release(&bench->bytes);
}

/* Reads the bytes put together as the section of one feature, cut to `len`. */
static void
read_section(struct bench *bench, enum feature_bit feature, size_t len)
{
	bench->features.sections[feature] = (struct file_bytes){bench->bytes.data, len};
	perf_features_read(&bench->features, &bench->events, &bench->arena);
}

static const char *
or_none(const char *text)
{
	return text ? text : "(none)";
}

static void
strings_are_read_without_their_padding(void)
{
	struct bench bench;

	bench_init(&bench);
	feature_put_string(&bench.bytes, "the-host");
	read_section(&bench, FEATURE_HOSTNAME, bench.bytes.len);
	UNIT_STR_EQ(or_none(bench.features.texts.hostname), "the-host");
	CU_ASSERT_PTR_NULL(bench.features.texts.arch);
	bench_release(&bench);
}

/* At whatever byte the file ends. */
static void
a_string_that_is_cut_is_none(void)
{
	struct bench bench;

	bench_init(&bench);
	feature_put_string(&bench.bytes, "the-host");
	for (size_t len = 0; len < bench.bytes.len; len++) {
		read_section(&bench, FEATURE_HOSTNAME, len);
		CU_ASSERT_PTR_NULL(bench.features.texts.hostname);
	}
	/* Nor is one without an end. */
	memset(bench.bytes.data + 4, 'x', bench.bytes.len - 4);
	read_section(&bench, FEATURE_HOSTNAME, bench.bytes.len);
	CU_ASSERT_PTR_NULL(bench.features.texts.hostname);
	bench_release(&bench);
}

static void
a_command_is_its_words(void)
{
	struct bench bench;

	bench_init(&bench);
	buf_put_u32(&bench.bytes, 3);
	feature_put_string(&bench.bytes, "perf");
	feature_put_string(&bench.bytes, "record");
	size_t two = bench.bytes.len;

	feature_put_string(&bench.bytes, "./a b");
	read_section(&bench, FEATURE_CMDLINE, bench.bytes.len);
	UNIT_STR_EQ(or_none(bench.features.texts.command), "perf record ./a b");
	read_section(&bench, FEATURE_CMDLINE, two + 10);
	UNIT_STR_EQ(or_none(bench.features.texts.command), "perf record");
	read_section(&bench, FEATURE_CMDLINE, 4);
	CU_ASSERT_PTR_NULL(bench.features.texts.command);
	bench_release(&bench);
}

static void
put_event(struct buf *out, const char *name, const uint64_t *ids, size_t nids)
{
	const struct perf_event_attr attr = {.size = sizeof(attr)};

	feature_put_event(out, &attr, sizeof(attr), name, ids, nids);
}

static const char *
name_of(const struct bench *bench, size_t event)
{
	return bench->events.entries[event].event.name;
}

static void
events_are_named_by_their_ids(void)
{
	const uint64_t first[] = {11, 12};
	const uint64_t second[] = {21};
	struct bench bench;

	bench_init(&bench);
	buf_put_u32(&bench.bytes, 2);
	buf_put_u32(&bench.bytes, sizeof(struct perf_event_attr));
	/* In another order than the file's. */
	put_event(&bench.bytes, "the second", second, 1);
	put_event(&bench.bytes, "the first", first, 2);
	read_section(&bench, FEATURE_EVENT_DESC, bench.bytes.len);
	UNIT_STR_EQ(name_of(&bench, 0), "the first");
	UNIT_STR_EQ(name_of(&bench, 1), "the second");
	bench_release(&bench);
}

static void
events_without_ids_are_named_by_their_order(void)
{
	const uint64_t unknown[] = {99};
	struct bench bench;

	bench_init(&bench);
	memcpy(bench.events.entries[0].event.name, "kept", 5);
	buf_put_u32(&bench.bytes, 100);
	buf_put_u32(&bench.bytes, sizeof(struct perf_event_attr));
	put_event(&bench.bytes, "of nobody", unknown, 1);
	put_event(&bench.bytes, "the second", NULL, 0);
	for (size_t i = 2; i < 100; i++)
		put_event(&bench.bytes, "one too many", NULL, 0);
	read_section(&bench, FEATURE_EVENT_DESC, bench.bytes.len);
	UNIT_STR_EQ(name_of(&bench, 0), "kept");
	UNIT_STR_EQ(name_of(&bench, 1), "the second");
	bench_release(&bench);
}

static void
an_empty_name_names_nothing(void)
{
	struct bench bench;

	bench_init(&bench);
	memcpy(bench.events.entries[0].event.name, "kept", 5);
	buf_put_u32(&bench.bytes, 1);
	buf_put_u32(&bench.bytes, sizeof(struct perf_event_attr));
	put_event(&bench.bytes, "", NULL, 0);
	read_section(&bench, FEATURE_EVENT_DESC, bench.bytes.len);
	UNIT_STR_EQ(name_of(&bench, 0), "kept");
	bench_release(&bench);
}

/* Cut anywhere, those before the cut are named and nothing behind it is read. */
static void
names_up_to_a_cut_are_taken(void)
{
	const uint64_t first[] = {11, 12};
	struct bench bench;

	bench_init(&bench);
	buf_put_u32(&bench.bytes, 2);
	buf_put_u32(&bench.bytes, sizeof(struct perf_event_attr));
	put_event(&bench.bytes, "the first", first, 2);
	size_t one = bench.bytes.len;

	put_event(&bench.bytes, "the second", NULL, 0);
	for (size_t len = 0; len < bench.bytes.len; len++) {
		bench.events.entries[0].event.name[0] = '\0';
		bench.events.entries[1].event.name[0] = '\0';
		read_section(&bench, FEATURE_EVENT_DESC, len);
		UNIT_STR_EQ(name_of(&bench, 0), len < one ? "" : "the first");
		UNIT_STR_EQ(name_of(&bench, 1), "");
	}
	bench_release(&bench);
}

/* An entry of the section of build-ids: its id is 1, 2, 3, ... */
static void
put_build_id(struct buf *out, const char *path, uint16_t misc, unsigned char len)
{
	size_t text = strlen(path) + 1;
	struct perf_event_header header = {.type = USER_HEADER_BUILD_ID,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + 4 + 24 + text)};
	unsigned char id[24] = {1, 2, 3, [20] = len};

	buf_put(out, &header, sizeof(header));
	buf_put_u32(out, 0);
	buf_put(out, id, sizeof(id));
	buf_put(out, path, text);
}

static void
build_ids_stand_in_the_order_of_their_paths(void)
{
	struct bench bench;

	bench_init(&bench);
	put_build_id(&bench.bytes, "/lib/z", 1 << 15, 16);
	put_build_id(&bench.bytes, "/bin/a", 0, 0);
	/* A size that no id has is none. */
	put_build_id(&bench.bytes, "/lib/b", 1 << 15, 200);
	read_section(&bench, FEATURE_BUILD_ID, bench.bytes.len);
	CU_ASSERT_EQUAL_FATAL(bench.features.nbuild_ids, 3);
	UNIT_STR_EQ(bench.features.build_ids[0].path, "/bin/a");
	CU_ASSERT_EQUAL(bench.features.build_ids[0].len, 20);
	UNIT_STR_EQ(bench.features.build_ids[1].path, "/lib/b");
	CU_ASSERT_EQUAL(bench.features.build_ids[1].len, 20);
	UNIT_STR_EQ(bench.features.build_ids[2].path, "/lib/z");
	CU_ASSERT_EQUAL(bench.features.build_ids[2].len, 16);
	CU_ASSERT_EQUAL(bench.features.build_ids[2].id[2], 3);
	bench_release(&bench);
}

static void
a_build_id_that_is_cut_is_left_out(void)
{
	struct bench bench;

	bench_init(&bench);
	put_build_id(&bench.bytes, "/bin/a", 0, 0);
	size_t one = bench.bytes.len;

	put_build_id(&bench.bytes, "/bin/b", 0, 0);
	for (size_t len = 0; len < bench.bytes.len; len++) {
		bench.features.nbuild_ids = 0;
		read_section(&bench, FEATURE_BUILD_ID, len);
		CU_ASSERT_EQUAL(bench.features.nbuild_ids, len < one ? 0 : 1);
	}
	/* A record that says it is shorter than its own header would be met for ever. */
	memset(bench.bytes.data + offsetof(struct perf_event_header, size), 0, 2);
	bench.features.nbuild_ids = 0;
	read_section(&bench, FEATURE_BUILD_ID, bench.bytes.len);
	CU_ASSERT_EQUAL(bench.features.nbuild_ids, 0);
	bench_release(&bench);
}

static void
sections_stand_in_the_order_of_their_bits(void)
{
	const uint64_t bits[FEATURE_WORDS] = {
		UINT64_C(1) << FEATURE_HOSTNAME | UINT64_C(1) << FEATURE_ARCH};
	/* Among two sections the second is not in the file. */
	const struct file_section table[] = {{32, 4}, {30, 7}};
	struct perf_features features = {.texts.command = NULL};
	struct buf bytes = {0};

	buf_put(&bytes, table, sizeof(table));
	buf_put(&bytes, "text", 4);
	struct file_view view = {.data = bytes.data, .len = bytes.len};

	perf_features_find(&features, &view, 0, bits);
	CU_ASSERT_PTR_EQUAL(features.sections[FEATURE_HOSTNAME].at, bytes.data + 32);
	CU_ASSERT_EQUAL(features.sections[FEATURE_HOSTNAME].left, 4);
	CU_ASSERT_PTR_NULL(features.sections[FEATURE_ARCH].at);
	/* A table behind the end, or over it. */
	features = (struct perf_features){.texts.command = NULL};
	perf_features_find(&features, &view, UINT64_MAX - 8, bits);
	perf_features_find(&features, &view, bytes.len - 8, bits);
	CU_ASSERT_PTR_NULL(features.sections[FEATURE_HOSTNAME].at);
	buf_release(&bytes);
}

static const struct unit_case cases[] = {
	{"strings_are_read_without_their_padding", strings_are_read_without_their_padding},
	{"a_string_that_is_cut_is_none", a_string_that_is_cut_is_none},
	{"a_command_is_its_words", a_command_is_its_words},
	{"events_are_named_by_their_ids", events_are_named_by_their_ids},
	{"events_without_ids_are_named_by_their_order",
		events_without_ids_are_named_by_their_order},
	{"an_empty_name_names_nothing", an_empty_name_names_nothing},
	{"names_up_to_a_cut_are_taken", names_up_to_a_cut_are_taken},
	{"build_ids_stand_in_the_order_of_their_paths",
		build_ids_stand_in_the_order_of_their_paths},
	{"a_build_id_that_is_cut_is_left_out", a_build_id_that_is_cut_is_left_out},
	{"sections_stand_in_the_order_of_their_bits", sections_stand_in_the_order_of_their_bits},
	{NULL, NULL},
};

void
suite_perfdata_perf_features(void)
{
	unit_suite("perfdata/perf_features", cases);
}
