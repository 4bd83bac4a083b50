#include "output/pprof.h"

#include "base/mem.h"
#include "profile/folded.h"
#include "unit.h"

#include <zlib.h>

void suite_output_pprof(void);

#define TEXT_MAX 65536

/* A file's message, decompressed. */
struct message {
	unsigned char bytes[TEXT_MAX];
	size_t len;
};

static void
write_message(struct message *message, const struct profile *profile)
{
	struct buf out = {0};
	z_stream stream = {.next_out = message->bytes, .avail_out = TEXT_MAX};

	pprof_put(profile, &out);
	stream.next_in = (unsigned char *)out.data;
	stream.avail_in = (unsigned)out.len;
	CU_ASSERT_EQUAL_FATAL(inflateInit2(&stream, 15 + 16), Z_OK);
	CU_ASSERT_EQUAL(inflate(&stream, Z_FINISH), Z_STREAM_END);
	message->len = stream.total_out;
	inflateEnd(&stream);
	buf_release(&out);
}

static void
write_folded(struct message *message, const char *text)
{
	struct err err = {0};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text, strlen(text), &err), 0);
	write_message(message, &profile);
	profile_release(&profile);
}

static uint64_t
read_varint(const unsigned char **at)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

/* A field: its number in a row of equal ones, its bytes, or the value where it has none. */
struct field {
	const unsigned char *bytes;
	size_t len;
	uint64_t value;
};

/* The nth field of this number; its bytes are NULL where there is none. */
static struct field
find(struct field in, unsigned number, unsigned nth)
{
	const unsigned char *at = in.bytes;
	const unsigned char *end = in.bytes + in.len;

	while (at < end) {
		uint64_t tag = read_varint(&at);
		struct field field = {.bytes = at, .value = read_varint(&at)};

		if ((tag & 7) == 2) {
			field.bytes = at;
			field.len = (size_t)field.value;
			at += field.len;
		}
		if (tag >> 3 == number && nth-- == 0)
			return field;
	}
	return (struct field){0};
}

static struct field
whole(const struct message *message)
{
	return (struct field){.bytes = message->bytes, .len = message->len};
}

/* Whether the string that field `number` of `in` is the index of is `text`. */
static bool
says(const struct message *message, struct field in, unsigned number, const char *text)
{
	uint64_t index = find(in, number, 0).value;
	struct field string = find(whole(message), 6, (unsigned)index);

	return string.bytes && string.len == strlen(text) &&
	       memcmp(string.bytes, text, string.len) == 0;
}

/* The name of the function that has this id. */
static bool
function_is(const struct message *message, uint64_t id, const char *name)
{
	for (unsigned i = 0;; i++) {
		struct field function = find(whole(message), 5, i);

		if (!function.bytes)
			return false;
		if (find(function, 1, 0).value == id)
			return says(message, function, 2, name);
	}
}

/* The id of the nth function of the location with this id, innermost first; 0 if it has not so
 * many. */
static uint64_t
function_at(const struct message *message, uint64_t id, unsigned nth)
{
	for (unsigned i = 0;; i++) {
		struct field location = find(whole(message), 4, i);

		if (!location.bytes)
			return 0;
		if (find(location, 1, 0).value == id)
			return find(find(location, 4, nth), 1, 0).value;
	}
}

static bool
location_is(const struct message *message, uint64_t id, const char *name)
{
	return function_is(message, function_at(message, id, 0), name) &&
	       function_at(message, id, 1) == 0;
}

static void
stacks_are_leaf_first(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "app;main;work_[k] 3\n");
	struct field sample = find(whole(message), 2, 0);
	struct field locations = find(sample, 1, 0);
	const unsigned char *at = locations.bytes;

	CU_ASSERT_EQUAL(find(sample, 2, 0).bytes[0], 3);
	CU_ASSERT_TRUE(location_is(message, read_varint(&at), "work_[k]"));
	CU_ASSERT_TRUE(location_is(message, read_varint(&at), "main"));
	CU_ASSERT_TRUE(location_is(message, read_varint(&at), "app"));
	CU_ASSERT_PTR_EQUAL(at, locations.bytes + locations.len);
	CU_ASSERT_PTR_NULL(find(whole(message), 2, 1).bytes);
	free(message);
}

/* What is inlined is in the location of the function around it, also where others are there, too.
 */
static void
inlined_functions_are_lines(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "app;main;outer_[i];inner_[i];leaf 3\n");
	struct field locations = find(find(whole(message), 2, 0), 1, 0);
	const unsigned char *at = locations.bytes;
	UNIT_NEED(at);

	CU_ASSERT_TRUE(location_is(message, read_varint(&at), "leaf"));
	const uint64_t inlined = read_varint(&at);

	CU_ASSERT_TRUE(function_is(message, function_at(message, inlined, 0), "inner"));
	CU_ASSERT_TRUE(function_is(message, function_at(message, inlined, 1), "outer"));
	CU_ASSERT_TRUE(function_is(message, function_at(message, inlined, 2), "main"));
	CU_ASSERT_TRUE(location_is(message, read_varint(&at), "app"));
	CU_ASSERT_PTR_EQUAL(at, locations.bytes + locations.len);
	free(message);
}

static void
one_without_a_caller_says_that_it_is_inlined(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "alone_[i] 3\napp;alone_[i] 4\n");
	const unsigned char *first = find(find(whole(message), 2, 0), 1, 0).bytes;
	const unsigned char *second = find(find(whole(message), 2, 1), 1, 0).bytes;
	UNIT_NEED(first);
	UNIT_NEED(second);

	CU_ASSERT_TRUE(location_is(message, read_varint(&first), "alone_[i]"));
	const uint64_t inlined = read_varint(&second);

	CU_ASSERT_TRUE(function_is(message, function_at(message, inlined, 0), "alone"));
	CU_ASSERT_TRUE(function_is(message, function_at(message, inlined, 1), "app"));
	free(message);
}

/* Two lines of a function are two locations of the same one. */
static void
lines_are_those_of_the_code(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));
	struct profile profile;

	profile_init(&profile);
	const size_t run = profile_add_run(&profile);
	const node_id root = ctree_child(&profile.tree, CTREE_ROOT,
		profile_frame(&profile, "main", strlen("main"), FRAME_USER));
	const str_id walk = strtab_intern_str(&profile.strings, "walk");
	uint64_t functions[2];

	for (uint32_t i = 0; i < 2; i++)
		ctree_add(&profile.tree, run,
			ctree_child(&profile.tree, root,
				frame_intern_at(&profile.frames, walk, FRAME_USER, 10 + i)),
			3 + i);
	write_message(message, &profile);
	for (unsigned i = 0; i < 2; i++) {
		const unsigned char *at = find(find(whole(message), 2, i), 1, 0).bytes;
		UNIT_NEED(at);
		const uint64_t location = read_varint(&at);

		for (unsigned k = 0;; k++) {
			const struct field found = find(whole(message), 4, k);
			UNIT_NEED(found.bytes);

			if (find(found, 1, 0).value != location)
				continue;
			CU_ASSERT_EQUAL(find(find(found, 4, 0), 2, 0).value, 10 + i);
			break;
		}
		functions[i] = function_at(message, location, 0);
		CU_ASSERT_TRUE(function_is(message, functions[i], "walk"));
	}
	CU_ASSERT_EQUAL(functions[0], functions[1]);
	profile_release(&profile);
	free(message);
}

static void
place(struct profile *profile, const char *name, const char *module, const char *build_id)
{
	const frame_id id = profile_frame(profile, name, strlen(name), FRAME_USER);

	profile->frames.frames[id].module = strtab_intern_str(&profile->strings, module);
	profile->frames.frames[id].build_id = strtab_intern_str(&profile->strings, build_id);
}

static void
mappings_have_their_build_ids_the_program_first(void)
{
	static const char text[] = "a_program_with_;main;puts;inlined_[i] 3\n";
	struct message *message = mem_zalloc(1, sizeof(*message));
	struct err err = {0};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text, strlen(text), &err), 0);
	place(&profile, "puts", "/lib/libc.so.6", "c0ffee");
	place(&profile, "main", "/opt/a_program_with_a_long_name", "0123ab");
	write_message(message, &profile);
	struct field program = find(whole(message), 3, 0);
	struct field library = find(whole(message), 3, 1);
	const unsigned char *at = find(find(whole(message), 2, 0), 1, 0).bytes;
	UNIT_NEED(program.bytes);
	UNIT_NEED(library.bytes);
	UNIT_NEED(at);

	CU_ASSERT_TRUE(says(message, program, 5, "/opt/a_program_with_a_long_name"));
	CU_ASSERT_TRUE(says(message, program, 6, "0123ab"));
	CU_ASSERT_TRUE(says(message, library, 5, "/lib/libc.so.6"));
	CU_ASSERT_TRUE(says(message, library, 6, "c0ffee"));
	CU_ASSERT_PTR_NULL(find(whole(message), 3, 2).bytes);
	const uint64_t leaf = read_varint(&at);

	for (unsigned i = 0; find(whole(message), 4, i).bytes; i++) {
		struct field location = find(whole(message), 4, i);

		if (find(location, 1, 0).value == leaf)
			CU_ASSERT_EQUAL(find(location, 2, 0).value, find(library, 1, 0).value);
	}
	profile_release(&profile);
	free(message);
}

static void
samples_of_a_frequency_have_their_time(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# runs: 2\n# frequency: 100\napp;main 1 4\n");
	struct field values = find(find(whole(message), 2, 0), 2, 0);
	const unsigned char *at = values.bytes;

	CU_ASSERT_EQUAL(read_varint(&at), 5);
	CU_ASSERT_EQUAL(read_varint(&at), 50000000);
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "samples"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 2, "count"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 1), 1, "cpu"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 1), 2, "nanoseconds"));
	CU_ASSERT_EQUAL(find(whole(message), 12, 0).value, 10000000);
	free(message);
}

static void
samples_of_other_events_stand_for_no_time(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# event: page-faults\n# frequency: 100\napp;main 5\n");
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "samples"));
	CU_ASSERT_PTR_NULL(find(whole(message), 1, 1).bytes);
	CU_ASSERT_EQUAL(find(whole(message), 12, 0).value, 0);
	free(message);
}

static void
an_event_is_the_name_of_its_type(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# event: inuse_space\n# unit: bytes\napp;main 4096\n");
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "inuse_space"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 2, "bytes"));
	free(message);
}

static void
counts_have_their_unit(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# runs: 1\n# metric: alloc\n# unit: bytes\napp;main 4096\n");
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "alloc"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 2, "bytes"));
	CU_ASSERT_PTR_NULL(find(whole(message), 1, 1).bytes);
	free(message);
}

/* As pprof names them: it shows a unit that it does not know behind each number. */
static void
other_units_are_counts(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# runs: 1\n# metric: syscalls\n# unit: calls\napp;main 4096\n");
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "syscalls"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 2, "count"));
	write_folded(message, "# unit: instructions\napp;main 4096\n");
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 1, "instructions"));
	CU_ASSERT_TRUE(says(message, find(whole(message), 1, 0), 2, "count"));
	free(message);
}

static void
the_comment_has_the_labels_if_there_are_any(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));
	struct profile profile;

	write_folded(message, "app;main 1\n");
	CU_ASSERT_TRUE(says(message, whole(message), 13, "profile_run"));
	profile_init(&profile);
	profile.by = strtab_intern_str(&profile.strings, "phase,thread");
	profile_add_run(&profile);
	write_message(message, &profile);
	CU_ASSERT_TRUE(says(message, whole(message), 13, "profile_run by phase,thread"));
	profile_release(&profile);
	free(message);
}

static void
values_are_not_negative_however_large(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "# frequency: 100\napp;main 1e300\n");
	const unsigned char *at = find(find(whole(message), 2, 0), 2, 0).bytes;

	UNIT_NEED(at);
	CU_ASSERT_EQUAL(read_varint(&at), UINT64_C(9000000000000000000));
	CU_ASSERT_EQUAL(read_varint(&at), UINT64_C(9000000000000000000));
	free(message);
}

static void
hostile_names_are_utf8(void)
{
	struct message *message = mem_zalloc(1, sizeof(*message));

	write_folded(message, "app;a\xff\x1b[31m 1\n");
	for (unsigned i = 0;; i++) {
		struct field string = find(whole(message), 6, i);

		if (!string.bytes)
			break;
		CU_ASSERT_PTR_NULL(memchr(string.bytes, 0xff, string.len));
		CU_ASSERT_PTR_NULL(memchr(string.bytes, 0x1b, string.len));
	}
	free(message);
}

/* More than one piece of the compressed file. */
static void
large_profiles_are_whole(void)
{
	struct buf text = {0};
	struct err err = {0};
	struct profile profile;
	struct buf out = {0};
	z_stream stream = {.avail_out = 1 << 24};

	for (int i = 0; i < 20000; i++)
		buf_printf(&text, "app;function_%d_%x 1\n", i, i * 2654435761U);
	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", text.data, text.len, &err), 0);
	pprof_put(&profile, &out);
	struct field in = {.bytes = mem_zalloc(1 << 24, 1)};

	stream.next_out = (unsigned char *)in.bytes;
	stream.next_in = (unsigned char *)out.data;
	stream.avail_in = (unsigned)out.len;
	CU_ASSERT_EQUAL_FATAL(inflateInit2(&stream, 15 + 16), Z_OK);
	CU_ASSERT_EQUAL(inflate(&stream, Z_FINISH), Z_STREAM_END);
	in.len = stream.total_out;
	inflateEnd(&stream);
	CU_ASSERT_PTR_NOT_NULL(find(in, 2, 19999).bytes);
	CU_ASSERT_PTR_NULL(find(in, 2, 20000).bytes);
	free((void *)in.bytes);
	buf_release(&out);
	buf_release(&text);
	profile_release(&profile);
}

void
suite_output_pprof(void)
{
	static const struct unit_case cases[] = {
		{"stacks_are_leaf_first", stacks_are_leaf_first},
		{"inlined_functions_are_lines", inlined_functions_are_lines},
		{"lines_are_those_of_the_code", lines_are_those_of_the_code},
		{"one_without_a_caller_says_that_it_is_inlined",
			one_without_a_caller_says_that_it_is_inlined},
		{"mappings_have_their_build_ids_the_program_first",
			mappings_have_their_build_ids_the_program_first},
		{"samples_of_a_frequency_have_their_time", samples_of_a_frequency_have_their_time},
		{"samples_of_other_events_stand_for_no_time",
			samples_of_other_events_stand_for_no_time},
		{"an_event_is_the_name_of_its_type", an_event_is_the_name_of_its_type},
		{"counts_have_their_unit", counts_have_their_unit},
		{"other_units_are_counts", other_units_are_counts},
		{"the_comment_has_the_labels_if_there_are_any",
			the_comment_has_the_labels_if_there_are_any},
		{"values_are_not_negative_however_large", values_are_not_negative_however_large},
		{"hostile_names_are_utf8", hostile_names_are_utf8},
		{"large_profiles_are_whole", large_profiles_are_whole},
		{NULL, NULL},
	};

	unit_suite("output/pprof", cases);
}
