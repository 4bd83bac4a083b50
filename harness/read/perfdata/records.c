#include "perfdata/records.h"

#include "perfdata/format.h"

#include <string.h>

/* The unread part of a record; every read goes through words_take(). */
struct words {
	const uint64_t *at;
	size_t left;
};

/* The next `count` words; NULL if there are fewer. */
static inline const uint64_t *
words_take(struct words *words, uint64_t count)
{
	if (count > words->left)
		return NULL;
	const uint64_t *at = words->at;

	words->at += count;
	words->left -= (size_t)count;
	return at;
}

/* The first or the second 32-bit number of a word. */
static inline uint32_t
word_half(uint64_t word, size_t half)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[half];
}

/* The position of field `want` when the fields of `type` listed in `order` follow each other. */
static int
position_of(uint64_t type, const uint64_t *order, size_t norder, uint64_t want)
{
	int at = 0;

	for (size_t i = 0; i < norder; i++) {
		if (!(type & order[i]))
			continue;
		if (order[i] == want)
			return at;
		at++;
	}
	return -1;
}

void
record_layout_init(struct record_layout *layout, const struct perf_event_attr *attr)
{
	static const uint64_t sample_order[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD};
	static const uint64_t trailer_order[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
	const size_t nsample = sizeof(sample_order) / sizeof(sample_order[0]);
	const size_t ntrailer = sizeof(trailer_order) / sizeof(trailer_order[0]);
	uint64_t type = attr->sample_type;
	/* Both are the same number; IDENTIFIER is where it can be found without knowing the event.
	 */
	uint64_t id = type & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;

	*layout = (struct record_layout){
		.sample_type = type,
		.read_format = attr->read_format,
		.branch_type = attr->branch_sample_type,
		.build_ids = attr->build_id,
		.nuser_regs = (unsigned)__builtin_popcountll(attr->sample_regs_user),
		.sample_time = position_of(type, sample_order, nsample, PERF_SAMPLE_TIME),
		.sample_id = position_of(type, sample_order, nsample, id),
		.sample_period = position_of(type, sample_order, nsample, PERF_SAMPLE_PERIOD),
		.trailer_time = -1,
		.trailer_id = -1,
	};
	if (!attr->sample_id_all)
		return;
	for (size_t i = 0; i < ntrailer; i++)
		layout->trailer_words += (type & trailer_order[i]) != 0;
	layout->trailer_time = position_of(type, trailer_order, ntrailer, PERF_SAMPLE_TIME);
	layout->trailer_id = position_of(type, trailer_order, ntrailer, id);
}

/* The word at `sample` of a sample or `trailer` of another record's trailer; NULL if not there. */
static const uint64_t *
common_word(
	const struct raw_record *raw, const struct record_layout *layout, int sample, int trailer)
{
	if (raw->type == PERF_RECORD_SAMPLE)
		return sample >= 0 && (size_t)sample < raw->nwords ? raw->words + sample : NULL;
	if (trailer < 0 || raw->nwords < (size_t)layout->trailer_words)
		return NULL;
	return raw->words + raw->nwords - layout->trailer_words + trailer;
}

uint64_t
raw_record_time(const struct raw_record *raw, const struct record_layout *layout)
{
	const uint64_t *word = common_word(raw, layout, layout->sample_time, layout->trailer_time);

	return word ? *word : 0;
}

bool
raw_record_id(const struct raw_record *raw, const struct record_layout *layout, uint64_t *id)
{
	const uint64_t *word = common_word(raw, layout, layout->sample_id, layout->trailer_id);

	if (word)
		*id = *word;
	return word != NULL;
}

bool
raw_record_period(
	const struct raw_record *raw, const struct record_layout *layout, uint64_t *period)
{
	const uint64_t *word = raw->type == PERF_RECORD_SAMPLE
				       ? common_word(raw, layout, layout->sample_period, -1)
				       : NULL;

	if (word)
		*period = *word;
	return word != NULL;
}

static void
decode_trailer(
	const struct raw_record *raw, const struct record_layout *layout, struct record_id *id)
{
	const uint64_t *word = raw->words + raw->nwords - layout->trailer_words;
	uint64_t type = layout->sample_type;

	if (layout->trailer_words == 0)
		return;
	if (type & PERF_SAMPLE_TID) {
		id->pid = word_half(*word, 0);
		id->tid = word_half(*word++, 1);
	}
	if (type & PERF_SAMPLE_TIME)
		id->time_ns = *word++;
	if (type & PERF_SAMPLE_ID)
		id->id = *word++;
	if (type & PERF_SAMPLE_STREAM_ID)
		word++;
	if (type & PERF_SAMPLE_CPU)
		id->cpu = word_half(*word++, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = *word;
}

/* The rest of the record as a terminated string. */
static const char *
take_string(const struct words *words)
{
	const char *text = (const char *)words->at;

	return memchr(text, '\0', words->left * 8) ? text : NULL;
}

static const char *
decode_mmap(const struct raw_record *raw, const struct record_layout *layout, struct words *words,
	struct record *record)
{
	bool second = raw->type == PERF_RECORD_MMAP2;
	const uint64_t *head = words_take(words, second ? 8 : 4);
	struct record_mmap *map = &record->u.mmap;

	if (!head)
		return "mmap record too short";
	map->pid = word_half(head[0], 0);
	map->tid = word_half(head[0], 1);
	map->start = head[1];
	map->size = head[2];
	map->file_offset = head[3];
	if (second) {
		map->prot = word_half(head[7], 0);
		map->flags = word_half(head[7], 1);
		if (layout->build_ids && raw->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			const unsigned char *bytes = (const unsigned char *)&head[4];

			map->build_id = bytes + 4;
			map->build_id_len = bytes[0] <= 20 ? bytes[0] : 20;
		} else {
			map->inode = head[5];
		}
	}
	map->path = take_string(words);
	return map->path ? NULL : "mmap record without the end of its path";
}

static const char *
decode_comm(const struct raw_record *raw, struct words *words, struct record *record)
{
	const uint64_t *head = words_take(words, 1);
	struct record_comm *comm = &record->u.comm;

	if (!head)
		return "comm record too short";
	comm->pid = word_half(head[0], 0);
	comm->tid = word_half(head[0], 1);
	comm->is_exec = (raw->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	comm->name = take_string(words);
	return comm->name ? NULL : "comm record without the end of its name";
}

static const char *
decode_task(struct words *words, struct record *record)
{
	const uint64_t *head = words_take(words, 2);
	struct record_task *task = &record->u.task;

	if (!head)
		return "fork or exit record too short";
	task->pid = word_half(head[0], 0);
	task->parent_pid = word_half(head[0], 1);
	task->tid = word_half(head[1], 0);
	task->parent_tid = word_half(head[1], 1);
	return NULL;
}

static const char *
decode_ksymbol(struct words *words, struct record *record)
{
	const uint64_t *head = words_take(words, 2);
	struct record_ksymbol *ksymbol = &record->u.ksymbol;
	uint16_t quarters[4]; /* the length, in two of them; type; flags */

	if (!head)
		return "ksymbol record too short";
	memcpy(quarters, &head[1], sizeof(quarters));
	ksymbol->address = head[0];
	ksymbol->size = word_half(head[1], 0);
	ksymbol->gone = (quarters[3] & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0;
	ksymbol->name = take_string(words);
	return ksymbol->name ? NULL : "ksymbol record without the end of its name";
}

/* PERF_SAMPLE_READ: a value, or those of a group. */
static bool
decode_read(struct words *words, uint64_t format, struct record_sample *sample)
{
	uint64_t each = 1 + ((format & PERF_FORMAT_ID) != 0) + ((format & PERF_FORMAT_LOST) != 0);
	uint64_t times = ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) +
			 ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0);

	if (!(format & PERF_FORMAT_GROUP))
		return words_take(words, times + each) != NULL;
	const uint64_t *count = words_take(words, 1);

	if (!count || !words_take(words, times) || *count > words->left)
		return false;
	sample->values = words_take(words, *count * each);
	sample->nvalues = format & PERF_FORMAT_ID ? (size_t)*count : 0;
	sample->value_words = (size_t)each;
	return sample->values != NULL;
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
decode_raw(struct words *words, struct record_sample *sample)
{
	const uint64_t *first = words_take(words, 1);

	/* A 32-bit size and that many bytes, which the kernel makes end on a word. */
	if (!first || !words_take(words, (word_half(*first, 0) + UINT64_C(4) + 7) / 8 - 1))
		return false;
	sample->raw_data_bytes = word_half(*first, 0);
	sample->raw_data = (const unsigned char *)first + sizeof(uint32_t);
	return true;
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

/* The most words behind the header of a record, whose size has 16 bits. */
#define WORDS_MAX ((size_t)UINT16_MAX / 8 - 1)

/*
 * The kernel makes the copy of a stack shorter than requested where the record would be too long:
 * perf_sample_ustack_size() of kernel/events/core.c.
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

static const char *
decode_sample_head(struct words *words, uint64_t type, struct record *record)
{
	const uint64_t *word =
		words_take(words, (uint64_t)__builtin_popcountll(type & SAMPLE_HEAD_FIELDS));

	if (!word)
		return "sample too short for its fields";
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id.id = *word++;
	if (type & PERF_SAMPLE_IP)
		record->u.sample.ip = *word++;
	if (type & PERF_SAMPLE_TID) {
		record->id.pid = word_half(*word, 0);
		record->id.tid = word_half(*word++, 1);
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
		record->id.cpu = word_half(*word++, 0);
	if (type & PERF_SAMPLE_PERIOD)
		record->u.sample.period = *word;
	return NULL;
}

/* Fields after the user stack are not read: none is needed. */
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
	if (type & PERF_SAMPLE_READ && !decode_read(&words, layout->read_format, sample))
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
	if (type & PERF_SAMPLE_RAW && !decode_raw(&words, sample))
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

/* Whether struct record has a place for the type's fields. */
static bool
knows(uint32_t type)
{
	return (type >= PERF_RECORD_MMAP && type <= PERF_RECORD_FORK) ||
	       type == PERF_RECORD_SAMPLE || type == PERF_RECORD_MMAP2 ||
	       type == PERF_RECORD_LOST_SAMPLES || type == PERF_RECORD_KSYMBOL;
}

/* All but samples: their fields stand before the trailer. */
static const char *
decode_other(const struct raw_record *raw, const struct record_layout *layout, struct words *words,
	struct record *record)
{
	const uint64_t *lost = words->at;

	switch (raw->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return decode_mmap(raw, layout, words, record);
	case PERF_RECORD_COMM:
		return decode_comm(raw, words, record);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_task(words, record);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(words, record);
	case PERF_RECORD_LOST: /* id, then how many */
		if (!words_take(words, 2))
			return "lost record too short";
		record->u.lost = lost[1];
		return NULL;
	case PERF_RECORD_LOST_SAMPLES:
		if (!words_take(words, 1))
			return "lost record too short";
		record->u.lost = lost[0];
		return NULL;
	default: /* THROTTLE and others: their fields are not needed */
		return NULL;
	}
}

const char *
decode_record(
	const struct raw_record *raw, const struct record_layout *layout, struct record *record)
{
	*record = (struct record){
		.type = raw->type,
		.misc = raw->misc,
		.raw = (const char *)raw->words - sizeof(struct perf_event_header),
		.raw_bytes = sizeof(struct perf_event_header) + raw->nwords * sizeof(uint64_t),
	};
	if (raw->type == PERF_RECORD_SAMPLE) {
		struct sample_parts parts;

		return decode_sample(raw, layout, record, &parts);
	}
	if (raw->nwords < (size_t)layout->trailer_words)
		return knows(raw->type) ? "record too short for its time and ids" : NULL;
	decode_trailer(raw, layout, &record->id);

	struct words words = {raw->words, raw->nwords - (size_t)layout->trailer_words};

	return decode_other(raw, layout, &words, record);
}
