/*
 * Stacks as the tools of BPF print them, a frame on each line, leaf first: maps of bpftrace,
 *
 *     @[
 *         kernel_frame+15
 *     ,
 *         user_frame+37
 *     , comm]: 7
 *
 * and profile, offcputime and stackcount of bcc without -f:
 *
 *         kernel_frame
 *         --
 *         user_frame
 *         -                comm (pid)
 *             7
 *
 * Both are stacks, names and a number, and become the same; for times off the CPU see
 * ingest_folded.c. Source: src/output/text.cpp of bpftrace; tools/profile.py,
 * offcputime.py and stackcount.py, and libbpf-tools/offcputime.c of bcc.
 */
#include "base/log.h"
#include "base/mem.h"
#include "ingest/bpf_line.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/wait_reason.h"

#include <stdlib.h>
#include <string.h>

#define STACKS_MAX 2
#define NAMES_MAX 8
/* The root where the tool was not asked for names. */
#define ROOT "(program)"

/* The stacks, names and map of one number. */
struct sample {
	struct bpf_frame *frames; /* leaf first */
	size_t count;
	size_t capacity;
	size_t begins[STACKS_MAX + 1]; /* of each stack; the last is the count */
	size_t nstacks;
	struct line names[NAMES_MAX];
	size_t nnames;
	bool empty; /* one of the keys is: a stack that could not be read */
};

struct reading {
	struct profile stacks; /* one column */
	const char *path;
	const char *wanted; /* map; NULL: the first that has stacks */
	struct lines lines;
	struct line line; /* the one being read */
	struct sample sample;
	enum { OUTSIDE, IN_KEY, IN_BLOCK, IN_HISTOGRAM } state;
	struct line map; /* of the key being read */
	char *chosen;
	struct buf others; /* maps that are not read */
	double last;       /* number of the chosen map */
	bool off_cpu;      /* the tool says so; offcputime of libbpf-tools is silent */
	bool all_wait;     /* all stacks end in the scheduler */
	bool has_header;
	size_t messages;
	size_t left_out; /* entries of maps without stacks */
	size_t samples;
};

static bool
detect_bpf(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line line;
	bool block = false;
	bool attached = false;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &line)) {
		const enum bpf_line_kind kind = bpf_line_kind(line);

		if (kind == BPF_HEADER)
			return true;
		attached |= bpf_is_attached(line);
		if (kind == BPF_EMPTY || kind == BPF_NOTICE || kind == BPF_MESSAGE)
			continue;
		if (!block && kind == BPF_MAP)
			return true;
		/* For a script that prints text of its own, read() says which. */
		if (kind == BPF_OTHER)
			return attached;
		/* Frames, until a number that has its own line. */
		if (kind == BPF_NUMBER)
			return block;
		if (kind != BPF_INDENTED || memchr(line.at, ';', line.len))
			return false;
		block = true;
	}
	return false;
}

static int
refuse_bpf(const struct reading *reading, const char *at, const char *what, struct err *err)
{
	const struct location where =
		lines_location(&reading->lines, reading->path, reading->line, at);

	return err_set_at(err, &where, "%s", what);
}

static void
begin_sample(struct sample *sample)
{
	sample->count = sample->nstacks = sample->nnames = 0;
	sample->empty = false;
}

static int
begin_stack(struct reading *reading, struct err *err)
{
	struct sample *sample = &reading->sample;

	if (sample->nstacks == STACKS_MAX)
		return refuse_bpf(reading, reading->line.at,
			"a third stack of one entry: expected that of the kernel and the program's",
			err);
	sample->begins[sample->nstacks++] = sample->count;
	return 0;
}

static int
add_frame(struct reading *reading, struct line text, struct err *err)
{
	struct sample *sample = &reading->sample;
	struct bpf_frame frame;

	if (!bpf_frame_parse(text, &frame))
		return refuse_bpf(reading, text.at, "expected a frame, such as \"main+0x12\"", err);
	if (sample->nstacks == 0 && begin_stack(reading, err) < 0)
		return -1;
	/* Leaf frames of the tool itself are left out. */
	if (sample->count == sample->begins[sample->nstacks - 1] && bpf_frame_is_own(&frame))
		return 0;
	sample->frames = mem_grow(
		sample->frames, &sample->capacity, sample->count + 1, sizeof(*sample->frames));
	sample->frames[sample->count++] = frame;
	return 0;
}

static char *
name_of(const struct bpf_frame *frame)
{
	return mem_dup(frame->name.at, frame->name.len);
}

/* Whether the outermost frame is one that the kernel's stacks begin with. */
static bool
is_entered(const struct sample *sample, size_t stack)
{
	const size_t end = sample->begins[stack + 1];

	if (end == sample->begins[stack])
		return false;
	char *name = name_of(&sample->frames[end - 1]);
	const bool is_entry = wait_reason_is_entry(name);

	free(name);
	return is_entry;
}

/* The kernel's stack; STACKS_MAX: none that is known. Of two, it is mostly the first. */
static size_t
find_kernel(const struct sample *sample)
{
	if (sample->nstacks == 1)
		return is_entered(sample, 0) ? 0 : STACKS_MAX;
	return sample->nstacks == 0 ? STACKS_MAX : is_entered(sample, 1) ? 1 : 0;
}

static node_id
enter_stack(struct reading *reading, node_id node, size_t stack, bool kernel)
{
	struct profile *profile = &reading->stacks;
	const struct sample *sample = &reading->sample;

	for (size_t i = sample->begins[stack + 1]; i-- > sample->begins[stack];) {
		const struct bpf_frame *frame = &sample->frames[i];
		const enum frame_kind kind = kernel ? FRAME_KERNEL : frame->kind;

		node = ctree_child(&profile->tree, node,
			profile_frame(profile, frame->name.at, frame->name.len, kind));
	}
	return node;
}

static bool
waits(const struct sample *sample, size_t kernel)
{
	const size_t leaf = sample->begins[kernel < STACKS_MAX ? kernel : 0];

	if (sample->count == 0 || leaf >= sample->count)
		return false;
	char *name = name_of(&sample->frames[leaf]);
	const bool result = wait_reason_of(name) == WAIT_SCHEDULER;

	free(name);
	return result;
}

static void
enter(struct reading *reading, double weight)
{
	struct profile *profile = &reading->stacks;
	struct sample *sample = &reading->sample;
	node_id node = CTREE_ROOT;

	sample->begins[sample->nstacks] = sample->count;
	const size_t kernel = find_kernel(sample);

	for (size_t i = 0; i < sample->nnames || i == 0; i++) {
		const struct line name =
			i < sample->nnames ? sample->names[i] : (struct line){ROOT, strlen(ROOT)};

		node = ctree_child(&profile->tree, node,
			profile_frame(profile, name.at, name.len, FRAME_USER));
	}
	for (size_t i = 0; i < sample->nstacks; i++)
		if (i != kernel)
			node = enter_stack(reading, node, i, false);
	if (kernel < STACKS_MAX)
		node = enter_stack(reading, node, kernel, true);
	reading->all_wait &= waits(sample, kernel);
	reading->samples++;
	if (weight > 0)
		ctree_add(&profile->tree, 0, node, weight);
}

/* Names among the keys of a map: numbers, such as process ids, are none. */
static int
take_keys(struct reading *reading, struct line keys, struct err *err)
{
	struct sample *sample = &reading->sample;

	sample->empty |= keys.len == 0;
	while (keys.len > 0) {
		const char *comma = memchr(keys.at, ',', keys.len);
		const size_t len = comma ? (size_t)(comma - keys.at) : keys.len;
		const struct line key = words_trim((struct line){keys.at, len});
		double number;

		sample->empty |= key.len == 0;
		if (key.len > 0 && !bpf_number(key, &number)) {
			if (sample->nnames == NAMES_MAX)
				return refuse_bpf(
					reading, key.at, "too many keys of one entry", err);
			sample->names[sample->nnames++] = key;
		}
		keys.at += comma ? len + 1 : len;
		keys.len -= comma ? len + 1 : len;
	}
	return 0;
}

/* Whether the map is the one that is read; notes those that are not. */
static bool
is_chosen(struct reading *reading)
{
	char *name = mem_dup(reading->map.at, reading->map.len);
	bool chosen = false;

	if (!reading->chosen && (!reading->wanted || strcmp(name, reading->wanted) == 0))
		reading->chosen = mem_strdup(name);
	chosen = reading->chosen && strcmp(name, reading->chosen) == 0;
	if (!chosen &&
		!memmem(buf_text(&reading->others), reading->others.len, name, strlen(name)) &&
		reading->others.len < 200)
		buf_printf(&reading->others, "%s%s", reading->others.len > 0 ? ", " : "", name);
	free(name);
	return chosen;
}

/* "..., comm]: 7", the end of an entry. */
static int
end_entry(struct reading *reading, struct line text, const char *end, struct err *err)
{
	const struct line value =
		words_trim((struct line){end + 2, (size_t)(text.at + text.len - end - 2)});
	double number;

	reading->state = OUTSIDE;
	if (take_keys(reading, (struct line){text.at, (size_t)(end - text.at)}, err) < 0)
		return -1;
	if (reading->sample.nstacks == 0 && reading->sample.empty)
		begin_stack(reading, err);
	if (reading->sample.nstacks == 0) {
		if (value.len == 0)
			reading->state = IN_HISTOGRAM;
		reading->left_out++;
		return 0;
	}
	if (!bpf_number(value, &number))
		return refuse_bpf(reading, value.at,
			"expected a number of 0 or more: the count, or the sum, of this stack",
			err);
	if (!is_chosen(reading))
		return 0;
	/* bpftrace sorts by number. */
	if (number < reading->last)
		return refuse_bpf(reading, value.at,
			"the map is printed a second time here, and its numbers may be those above, "
			"grown: print it once, at the end",
			err);
	reading->last = number;
	enter(reading, number);
	return 0;
}

/* A part of an entry's key: what is between the brackets, or goes on from a line before. */
static int
take_key(struct reading *reading, struct line text, struct err *err)
{
	const char *end = bpf_key_end(text);

	if (end)
		return end_entry(reading, text, end, err);
	reading->state = IN_KEY;
	/* A stack begins on the next line. */
	return take_keys(reading, text, err) < 0 ? -1 : begin_stack(reading, err);
}

static int
take_map(struct reading *reading, struct err *err)
{
	struct line rest = reading->line;

	begin_sample(&reading->sample);
	reading->map = bpf_map_name(&rest);
	if (*rest.at == '[')
		return take_key(reading, (struct line){rest.at + 1, rest.len - 1}, err);
	/* "@name: 5", or a histogram below "@name:". */
	reading->left_out++;
	reading->state = words_trim((struct line){rest.at + 1, rest.len - 1}).len > 0
				 ? OUTSIDE
				 : IN_HISTOGRAM;
	return 0;
}

/* A line of a block of bcc; the number is its last. */
static int
take_block(struct reading *reading, enum bpf_line_kind kind, struct err *err)
{
	struct sample *sample = &reading->sample;
	const struct line text = words_trim(reading->line);
	double number;

	if (reading->state != IN_BLOCK)
		begin_sample(sample);
	reading->state = IN_BLOCK;
	if (kind == BPF_NUMBER) {
		bpf_number(text, &number);
		enter(reading, number);
		reading->state = OUTSIDE;
		return 0;
	}
	if (sample->nnames > 0)
		return refuse_bpf(reading, text.at, "expected the number of this stack", err);
	if (words_are(text, "--") || words_are(text, "-"))
		return begin_stack(reading, err);
	if (bpf_is_waker(text))
		return refuse_bpf(reading, text.at,
			"stacks of two threads: write folded text, with the option -f", err);
	if (bpf_comm(text, &sample->names[0])) {
		sample->nnames = 1;
		return 0;
	}
	return add_frame(reading, text, err);
}

static int
take_in_key(struct reading *reading, struct err *err)
{
	const struct line text = words_trim(reading->line);

	if (text.len > 0 && *reading->line.at == '@')
		return refuse_bpf(reading, text.at,
			"expected the end of the entry above, \"]: NUMBER\", or a frame", err);
	if (text.len > 0 && *text.at == ',')
		return take_key(reading, (struct line){text.at + 1, text.len - 1}, err);
	if (text.len > 0 && *text.at == ']')
		return take_key(reading, text, err);
	return text.len == 0 ? 0 : add_frame(reading, text, err);
}

static int
take_line(struct reading *reading, struct err *err)
{
	const enum bpf_line_kind kind = bpf_line_kind(reading->line);

	if (reading->state == IN_KEY)
		return take_in_key(reading, err);
	if (reading->state == IN_HISTOGRAM && kind != BPF_MAP) {
		reading->state = kind == BPF_EMPTY ? OUTSIDE : IN_HISTOGRAM;
		return kind == BPF_EMPTY || bpf_is_histogram(reading->line)
			       ? 0
			       : refuse_bpf(reading, reading->line.at,
					 "expected a line of a histogram", err);
	}
	if (reading->state == IN_BLOCK && kind != BPF_INDENTED && kind != BPF_NUMBER)
		return refuse_bpf(reading, reading->line.at,
			"expected a frame, or the number of the stack above", err);
	switch (kind) {
	case BPF_EMPTY:
	case BPF_NOTICE:
		return 0;
	case BPF_MESSAGE:
		reading->messages++;
		return 0;
	case BPF_HEADER:
		reading->has_header = true;
		reading->off_cpu |= bpf_is_off_cpu(reading->line);
		return 0;
	case BPF_MAP:
		return take_map(reading, err);
	case BPF_INDENTED:
	case BPF_NUMBER:
		return take_block(reading, kind, err);
	case BPF_OTHER:
		break;
	}
	return refuse_bpf(reading, reading->line.at,
		"expected a map of bpftrace, \"@name[\", or a stack of bcc's tools", err);
}

static int
read_lines(struct reading *reading, struct err *err)
{
	struct line last = {"", 0};
	int more;

	while ((more = lines_next(&reading->lines, &reading->line, err)) > 0) {
		last = reading->line;
		if (take_line(reading, err) < 0)
			return -1;
		if (reading->state == OUTSIDE)
			lines_done(&reading->lines, reading->line.at);
	}
	if (more < 0)
		return -1;
	if (reading->state == IN_KEY || reading->state == IN_BLOCK) {
		reading->line = last;
		return refuse_bpf(reading, last.at + last.len, "the file ends within a stack", err);
	}
	if (reading->samples > 0 && profile_column_total(&reading->stacks, 0) > 0)
		return 0;
	if (reading->samples > 0)
		err_set(err, ERR_INPUT, "%s: the numbers of all of its stacks are 0",
			reading->path);
	else
		err_set(err, ERR_INPUT, "%s: holds no stacks%s%s", reading->path,
			reading->wanted ? " of " : "", reading->wanted ? reading->wanted : "");
	return reading->others.len > 0
		       ? err_note(err, "its maps with stacks are: %s", buf_text(&reading->others))
		       : -1;
}

static void
report(const struct reading *reading)
{
	if (reading->messages > 0 || reading->left_out > 0)
		log_warn("%s: skipped: messages: %zu, entries of maps without stacks: %zu",
			reading->path, reading->messages, reading->left_out);
	if (!reading->wanted && reading->others.len > 0)
		log_warn("%s: the stacks of %s are read; --event takes others: %s", reading->path,
			reading->chosen, buf_text(&reading->others));
}

static int
read_stacks(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.path = path, .wanted = options->event, .all_wait = true};

	profile_init(&reading.stacks);
	profile_add_run(&reading.stacks);
	lines_init(&reading.lines, view);
	int result = read_lines(&reading, err);

	if (result == 0) {
		report(&reading);
		const bool silent = !reading.has_header && !reading.chosen;

		if (reading.off_cpu || (silent && reading.all_wait)) {
			wait_reason_add_stacks(profile, &reading.stacks);
			describe_times(profile, false);
			describe_set(profile, &profile->event, "offcputime");
		} else {
			profile_append(profile, &reading.stacks);
		}
	}
	profile_release(&reading.stacks);
	free(reading.sample.frames);
	free(reading.chosen);
	buf_release(&reading.others);
	return result;
}

const struct input_format ingest_bpf = {
	.name = "bpf-stacks",
	.summary = "stacks that bpftrace and bcc's tools print, a frame on each line",
	.detect = detect_bpf,
	.read = read_stacks,
	.streams = true,
};
