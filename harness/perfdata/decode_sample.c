#include "perfdata/decode.h"

#include "perfdata/record_words.h"

#include <string.h>

/* Passes over the value of PERF_SAMPLE_READ. */
static bool
skip_read(struct words *words, uint64_t format)
{
	uint64_t each = 1 + ((format & PERF_FORMAT_ID) != 0) + ((format & PERF_FORMAT_LOST) != 0);
	uint64_t times = ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) +
			 ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0);

	if (!(format & PERF_FORMAT_GROUP))
		return words_take(words, times + each) != NULL;
	const uint64_t *count = words_take(words, 1);

	return count && words_take(words, times) && *count <= words->left &&
	       words_take(words, *count * each);
}

static bool
skip_branches(struct words *words, uint64_t branch_type)
{
	const uint64_t *count = words_take(words, 1);

	if (!count || *count > words->left)
		return false;
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX && !words_take(words, 1))
		return false;
	if (!words_take(words, *count * 3))
		return false;
	/* PERF_SAMPLE_BRANCH_COUNTERS, since Linux 6.8: one word more for each branch. */
	return !(branch_type & UINT64_C(1) << 19) || words_take(words, *count);
}

static bool
skip_raw(struct words *words)
{
	const uint64_t *first = words_take(words, 1);

	/* A 32-bit size and that many bytes, which the kernel makes end on a word. */
	return first && words_take(words, (word_first_half(*first) + UINT64_C(4) + 7) / 8 - 1);
}

static bool
decode_user_regs(
	struct words *words, const struct record_layout *layout, struct record_sample *sample)
{
	const uint64_t *abi = words_take(words, 1);

	if (!abi)
		return false;
	sample->user_regs_abi = *abi;
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	sample->user_regs = words_take(words, layout->nuser_regs);
	sample->nuser_regs = layout->nuser_regs;
	return sample->user_regs != NULL;
}

/* What a record's 16 bits of size leave for words behind its header. */
#define WORDS_MAX ((size_t)UINT16_MAX / 8 - 1)

/*
 * The kernel makes the copy of a stack shorter than was asked for where the record would be too
 * long: perf_sample_ustack_size() of kernel/events/core.c.
 */
static bool
decode_user_stack(struct words *words, const struct raw_record *raw, struct record_sample *sample)
{
	const uint64_t *size = words_take(words, 1);

	if (!size || *size % 8 != 0)
		return false;
	if (*size == 0)
		return true;
	const uint64_t *bytes = words_take(words, *size / 8);
	const uint64_t *valid = words_take(words, 1);

	if (!bytes || !valid || *valid > *size)
		return false;
	sample->user_stack = (const unsigned char *)bytes;
	sample->user_stack_bytes = (size_t)*valid;
	sample->user_stack_cut = *valid == *size && raw->nwords >= WORDS_MAX;
	return true;
}

/* The fields of fixed size that a sample starts with, a word each. */
#define HEAD_FIELDS                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |       \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
		PERF_SAMPLE_PERIOD)

static const char *
decode_sample_head(struct words *words, uint64_t type, struct record *record)
{
	const uint64_t *word =
		words_take(words, (uint64_t)__builtin_popcountll(type & HEAD_FIELDS));

	if (!word)
		return "sample too short for its fields";
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id.id = *word++;
	if (type & PERF_SAMPLE_IP)
		record->u.sample.ip = *word++;
	if (type & PERF_SAMPLE_TID) {
		record->id.pid = word_first_half(*word);
		record->id.tid = word_second_half(*word++);
	}
	if (type & PERF_SAMPLE_TIME)
		record->id.time_ns = *word++;
	if (type & PERF_SAMPLE_ADDR)
		word++;
	if (type & PERF_SAMPLE_ID)
		record->id.id = *word++;
	if (type & PERF_SAMPLE_STREAM_ID)
		word++;
	if (type & PERF_SAMPLE_CPU)
		record->id.cpu = word_first_half(*word++);
	if (type & PERF_SAMPLE_PERIOD)
		record->u.sample.period = *word;
	return NULL;
}

/* What follows the user stack is not read: nothing here has a use for it. */
const char *
decode_sample(const struct raw_record *raw, const struct record_layout *layout,
	struct record *record, struct sample_parts *parts)
{
	struct words words = {raw->words, raw->nwords};
	struct record_sample *sample = &record->u.sample;
	uint64_t type = layout->sample_type;
	const char *problem = decode_sample_head(&words, type, record);

	sample->misc = raw->misc;
	if (problem)
		return problem;
	if (type & PERF_SAMPLE_READ && !skip_read(&words, layout->read_format))
		return "sample too short for its counter values";
	parts->chain = (size_t)(words.at - raw->words);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		const uint64_t *count = words_take(&words, 1);

		sample->chain = count ? words_take(&words, *count) : NULL;
		if (!sample->chain)
			return "call chain longer than its sample";
		sample->nchain = (size_t)*count;
	}
	parts->chain_end = (size_t)(words.at - raw->words);
	if (type & PERF_SAMPLE_RAW && !skip_raw(&words))
		return "raw data longer than their sample";
	if (type & PERF_SAMPLE_BRANCH_STACK && !skip_branches(&words, layout->branch_type))
		return "branch stack longer than its sample";
	parts->user = (size_t)(words.at - raw->words);
	if (type & PERF_SAMPLE_REGS_USER && !decode_user_regs(&words, layout, sample))
		return "sample too short for its registers";
	if (type & PERF_SAMPLE_STACK_USER && !decode_user_stack(&words, raw, sample))
		return "user stack longer than its sample";
	parts->user_end = (size_t)(words.at - raw->words);
	return NULL;
}
