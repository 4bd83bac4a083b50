#include "replay/record_profile.h"

#include "profile/counters.h"
#include "profile/folded.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Stacks in no order, among them one with many siblings and one that is deep. */
static void
fill(struct profile *profile)
{
	profile_init(profile);
	for (size_t run = 0; run < 3; run++) {
		size_t column = profile_add_run(profile);
		struct run *of = &profile->runs[column];

		/* Any bytes but for the flags and the doubles: every field differs from 0. */
		memset(of, 0x3f, sizeof(*of));
		of->measured = run != 1;
		of->delivered = run != 2;
		of->session = (uint32_t)run;
		of->counters = (struct run_counters){0};
		for (enum counter_id id = 0; id < NCOUNTERS; id++)
			if (!counter_kinds[id].derive && (id + run) % 3 > 0)
				counter_set(of, id, id * 0.5 + (double)run);
		for (unsigned i = 40; i-- > 0;) {
			char name[32];
			node_id node = CTREE_ROOT;

			for (unsigned depth = 0; depth <= i % 7; depth++) {
				snprintf(name, sizeof(name), "f%u", (i * 7 + depth) % 23);
				node = ctree_child(&profile->tree, node,
					profile_frame(profile, name, strlen(name), depth % 4));
			}
			if ((i + run) % 3 == 0)
				ctree_add(&profile->tree, run, node, run == 1 ? 0.1 * i : i + 1);
		}
	}
	profile->frames.frames[3].module =
		strtab_intern_str(&profile->strings, "/usr/lib/libm.so.6");
	profile->frames.frames[3].file = strtab_intern_str(&profile->strings, "m.c");
	profile->frames.frames[3].line = 77;
	profile->frames.frames[4].full = strtab_intern_str(&profile->strings, "f.isra.0");
	profile->event = strtab_intern_str(&profile->strings, "cpu-clock");
	profile->cpu_choice = strtab_intern_str(&profile->strings, "libcrypto.so.3\n");
	profile->host = strtab_intern(&profile->strings, "a\0b", 3);
	profile->stack_bytes = 8192;
	profile->frequency_hz = 4999;
	profile->started = 1700000000;
	profile->duration_s = 1.25;
	profile_sort(profile);
}

static void
write(const struct profile *profile, struct buf *out)
{
	struct profile copy = *profile;
	struct codec codec = codec_writer(out);

	record_profile(&codec, &copy);
}

/* The problem, or NULL. */
static const char *
read(const char *bytes, size_t len, struct profile *profile)
{
	struct codec codec = codec_reader(bytes, len, NULL, 1 << 20);

	profile_init(profile);
	record_profile(&codec, profile);
	return codec.problem;
}

static void
check_same_tree(const struct profile *a, const struct profile *b)
{
	CU_ASSERT_EQUAL_FATAL(a->tree.nnodes, b->tree.nnodes);
	CU_ASSERT(
		memcmp(a->tree.nodes, b->tree.nodes, a->tree.nnodes * sizeof(*a->tree.nodes)) == 0);
	CU_ASSERT_EQUAL_FATAL(a->nruns, b->nruns);
	for (size_t run = 0; run < a->nruns; run++) {
		for (node_id node = 0; node < a->tree.nnodes; node++)
			CU_ASSERT(ctree_weight(&a->tree, run, node) ==
				  ctree_weight(&b->tree, run, node));
	}
}

static void
a_profile_comes_back_with_its_ids(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};
	struct buf again = {0};

	fill(&before);
	write(&before, &out);
	CU_ASSERT_PTR_NULL_FATAL(read(out.data, out.len, &after));
	check_same_tree(&before, &after);
	CU_ASSERT_EQUAL_FATAL(before.frames.nframes, after.frames.nframes);
	CU_ASSERT(memcmp(before.frames.frames, after.frames.frames,
			  before.frames.nframes * sizeof(struct frame)) == 0);
	CU_ASSERT_EQUAL(after.frames.frames[3].line, 77);
	CU_ASSERT_EQUAL(strtab_len(&after.strings, after.host), 3);
	CU_ASSERT_EQUAL(after.cpu_choice, before.cpu_choice);
	CU_ASSERT(after.event == before.event && after.started == before.started);
	CU_ASSERT(after.duration_s == before.duration_s && after.stack_bytes == 8192);
	/* All there is to write is in it again. */
	write(&after, &again);
	CU_ASSERT(out.len == again.len && memcmp(out.data, again.data, out.len) == 0);
	buf_release(&out);
	buf_release(&again);
	profile_release(&before);
	profile_release(&after);
}

static void
every_field_of_a_run_comes_back(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};
	size_t missing = 0;

	fill(&before);
	write(&before, &out);
	CU_ASSERT_PTR_NULL_FATAL(read(out.data, out.len, &after));
	for (size_t run = 0; run < before.nruns; run++) {
		const unsigned char *wanted = (const unsigned char *)&before.runs[run];
		const unsigned char *found = (const unsigned char *)&after.runs[run];

		missing = 0;
		for (size_t i = 0; i < sizeof(struct run); i++) {
			if (found[i] != wanted[i] && wanted[i] == 0x3f)
				missing++;
			else
				CU_ASSERT_EQUAL(found[i], wanted[i]);
		}
		/* Two behind the flags, four behind the three numbers of CPUs. */
		CU_ASSERT_EQUAL(missing, 6);
	}
	buf_release(&out);
	profile_release(&before);
	profile_release(&after);
}

static void
a_file_of_an_earlier_format_has_no_counters(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};
	struct codec codec = codec_writer(&out);

	fill(&before);
	codec.format = 1;
	record_profile(&codec, &before);
	codec = codec_reader(out.data, out.len, NULL, 1 << 20);
	codec.format = 1;
	profile_init(&after);
	record_profile(&codec, &after);
	CU_ASSERT_PTR_NULL(codec.problem);
	CU_ASSERT_EQUAL(codec.left, 0);
	CU_ASSERT_EQUAL_FATAL(after.nruns, before.nruns);
	CU_ASSERT_EQUAL(after.runs[0].samples, before.runs[0].samples);
	CU_ASSERT_EQUAL(after.runs[0].counters.known, 0);
	buf_release(&out);
	profile_release(&before);
	profile_release(&after);
}

/* As a later version writes it, which knows more of them. */
static void
a_counter_of_another_name_is_read_over(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};

	fill(&before);
	write(&before, &out);
	char *name = memmem(out.data, out.len, "max_rss", 7);

	UNIT_NEED(name);
	name[0] = 'w';
	CU_ASSERT_PTR_NULL(read(out.data, out.len, &after));
	CU_ASSERT_FALSE(isnan(counter_value(&before.runs[1], COUNTER_MAX_RSS)));
	CU_ASSERT(isnan(counter_value(&after.runs[1], COUNTER_MAX_RSS)));
	UNIT_NEAR(counter_value(&after.runs[1], COUNTER_READ_BYTES),
		counter_value(&before.runs[1], COUNTER_READ_BYTES), 0);
	buf_release(&out);
	profile_release(&before);
	profile_release(&after);
}

static void
both_profiles_are_written_alike(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};
	struct buf first = {0};
	struct buf second = {0};

	fill(&before);
	write(&before, &out);
	CU_ASSERT_PTR_NULL_FATAL(read(out.data, out.len, &after));
	folded_write(&before, FOLDED_SUM, &first);
	folded_write(&after, FOLDED_SUM, &second);
	UNIT_STR_EQ(buf_text(&first), buf_text(&second));
	buf_release(&out);
	buf_release(&first);
	buf_release(&second);
	profile_release(&before);
	profile_release(&after);
}

static void
an_empty_profile_is_one(void)
{
	struct profile before;
	struct profile after;
	struct buf out = {0};

	profile_init(&before);
	write(&before, &out);
	CU_ASSERT_PTR_NULL(read(out.data, out.len, &after));
	CU_ASSERT(after.nruns == 0 && after.tree.nnodes == 1 && after.frames.nframes == 1);
	buf_release(&out);
	profile_release(&before);
	profile_release(&after);
}

/* Whatever it does, it does not read beyond its bytes, nor take more than its budget. */
static void
truncated_and_changed_bytes_do_no_harm(void)
{
	struct profile before;
	struct buf out = {0};

	fill(&before);
	write(&before, &out);
	for (size_t i = 0; i < out.len; i++) {
		struct profile after;
		char *copy = malloc(i ? i : 1);

		UNIT_NEED(copy);
		memcpy(copy, out.data, i);
		CU_ASSERT_PTR_NOT_NULL(read(copy, i, &after));
		profile_release(&after);
		free(copy);
		for (int bit = 0; bit < 8; bit += 3) {
			out.data[i] = (char)((unsigned char)out.data[i] ^ 1U << bit);
			read(out.data, out.len, &after);
			profile_release(&after);
			out.data[i] = (char)((unsigned char)out.data[i] ^ 1U << bit);
		}
	}
	buf_release(&out);
	profile_release(&before);
}

static const struct unit_case cases[] = {
	{"a_profile_comes_back_with_its_ids", a_profile_comes_back_with_its_ids},
	{"every_field_of_a_run_comes_back", every_field_of_a_run_comes_back},
	{"a_file_of_an_earlier_format_has_no_counters",
		a_file_of_an_earlier_format_has_no_counters},
	{"a_counter_of_another_name_is_read_over", a_counter_of_another_name_is_read_over},
	{"both_profiles_are_written_alike", both_profiles_are_written_alike},
	{"an_empty_profile_is_one", an_empty_profile_is_one},
	{"truncated_and_changed_bytes_do_no_harm", truncated_and_changed_bytes_do_no_harm},
	{NULL, NULL},
};

void suite_replay_record_profile(void);

void
suite_replay_record_profile(void)
{
	unit_suite("replay/record_profile", cases);
}
