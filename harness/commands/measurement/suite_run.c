#include "measurement/suite_run.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/counters.h"
#include "profile/latency.h"
#include "spec/suite.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Counting is slower than running by about this factor. */
#define COUNTED_SLOWNESS 50

int
suite_output_begin(struct suite_output *output, const struct workload *workload,
	struct capture_request *request, struct err *err)
{
	*output = (struct suite_output){.workload = workload, .fd = -1};
	if (!workload->unit || !workload->suite->preset)
		return 0;
	output->fd = memfd_create("output", MFD_CLOEXEC);
	if (output->fd < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "a file in memory for what the benchmark prints");
	request->stdout_fd = output->fd;
	request->stderr_too = true;
	return 0;
}

/* Costs are those of one iteration from now on. */
static void
divide_costs(struct run *run, double iterations)
{
	const double factor = executions_of_run(run) / iterations;

	for (size_t id = 0; id < NCOUNTERS; id++) {
		const struct counter_kind *kind = &counter_kinds[id];

		if (run->counters.known >> id & 1 && !kind->largest && !kind->shown_only &&
			!kind->of_latency && !kind->derive)
			run->counters.values[id] *= factor;
	}
	run->cost_total *= factor;
	run->executions = (uint64_t)iterations;
	counter_set(run, COUNTER_OPERATIONS, iterations);
}

/* The last line of a text that is not empty, as a note. */
static void
note_last_line(const struct buf *text, struct err *err)
{
	size_t end = text->len;

	while (end > 0 && strchr(" \r\n", text->data[end - 1]))
		end--;
	size_t begin = end;

	while (begin > 0 && text->data[begin - 1] != '\n')
		begin--;
	if (end > begin)
		err_note(err, "its last line was: %.*s",
			(int)(end - begin < 200 ? end - begin : 200), text->data + begin);
}

int
suite_output_take(const struct suite_output *output, struct run *run, struct err *err)
{
	const struct suite_unit *unit = output->workload->unit;
	struct suite_report report = {0};
	struct buf text = {0};
	char path[32];

	if (output->fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", output->fd);
	int result = file_read(path, &text, LATENCY_TEXT_MAX, err);

	if (result == 0)
		result = unit->suite->preset->read(
			unit->benchmark, buf_text(&text), text.len, &report, err);
	if (result == 0 && !(report.iterations >= 1)) {
		run->executions = 0;
		result = err_set(
			err, ERR_MEASURE, "the benchmark '%s' printed no result", unit->benchmark);
		note_last_line(&text, err);
	}
	buf_release(&text);
	if (result == 0)
		divide_costs(run, report.iterations);
	return result;
}

void
suite_output_end(struct suite_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
}

/*
 * The part of a profile below the benchmark.
 */

/* Whether a name, without its parameters, is one of these. */
static bool
is_one_of(const char *const *names, const char *name)
{
	for (size_t i = 0; names[i]; i++) {
		const size_t len = strlen(names[i]);

		if (strncmp(name, names[i], len) == 0 && (name[len] == '\0' || name[len] == '('))
			return true;
	}
	return false;
}

enum part {
	PART_OTHER,   /* none of these: what other threads do, and libraries */
	PART_PROGRAM, /* a function in a file that may have benchmarks */
	PART_LIBRARY, /* in the suite's library: it calls benchmarks of the program */
	PART_OWN,     /* the suite's own work */
	PART_BEGIN,   /* what it calls is the benchmark */
};

/* Whether a file is a library that has no benchmarks, or none at all. */
static bool
is_of_system(const char *file)
{
	static const char *const names[] = {"libc.so", "libc-", "libstdc++.so", "libc++.so",
		"libm.so", "libgcc_s.so", "libpthread", "ld-linux", "ld-musl", "[", NULL};
	const char *name = file_basename(file);
	bool found = name[0] == '\0';

	for (size_t i = 0; names[i] && !found; i++)
		found = text_begins(name, names[i]);
	return found;
}

static enum part
part_of(const struct profile *profile, frame_id frame, const struct suite_preset *preset)
{
	const struct frame *at = &profile->frames.frames[frame];
	const char *name = profile_frame_name(profile, frame);
	const char *file = strtab_str(&profile->strings, at->module);

	if (is_one_of(preset->begins, name))
		return PART_BEGIN;
	if (is_one_of(preset->own, name))
		return PART_OWN;
	if (preset->library && text_begins(file_basename(file), preset->library))
		return PART_LIBRARY;
	return at->kind != FRAME_USER || is_of_system(file) ? PART_OTHER : PART_PROGRAM;
}

/* The part of each frame; NULL: no benchmark begins, and nothing is known. free() it. */
static enum part *
find_parts(const struct profile *profile, const struct suite_preset *preset)
{
	enum part *parts = mem_zalloc(profile->frames.nframes + 1, sizeof(*parts));
	bool any = false;

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++)
		parts[frame] = part_of(profile, frame, preset);
	for (node_id node = 1; node < profile->tree.nnodes; node++) {
		const struct ctree_node *at = &profile->tree.nodes[node];
		const frame_id caller = profile->tree.nodes[at->parent].frame;

		any = any || parts[at->frame] == PART_BEGIN ||
		      (parts[at->frame] == PART_PROGRAM && parts[caller] == PART_LIBRARY);
	}
	if (any)
		return parts;
	free(parts);
	return NULL;
}

/* A tree that is made without the suite's own work; the arrays are by node of the old one. */
struct cut {
	const struct profile *profile;
	const enum part *parts;
	struct ctree tree;
	node_id *to;    /* the node's place; CTREE_NONE: it is left out */
	node_id *label; /* the last of the labels that its stack begins with */
	size_t *depth;
	bool *inside; /* it is below the begin of a benchmark */
	bool *broken; /* its stack is incomplete, and does not reach such a begin */
};

/* Places a node whose parent has been. The benchmark begins at the root, below the labels. */
static void
place_node(struct cut *cut, node_id node, size_t nlabels)
{
	const struct ctree_node *at = &cut->profile->tree.nodes[node];
	const enum part part = cut->parts[at->frame];
	const enum part caller = cut->parts[cut->profile->tree.nodes[at->parent].frame];
	const bool begins = part == PART_PROGRAM && caller == PART_LIBRARY;

	cut->depth[node] = cut->depth[at->parent] + 1;
	cut->label[node] = cut->label[at->parent];
	cut->inside[node] = cut->inside[at->parent] || part == PART_BEGIN || begins;
	const char *name = profile_frame_name(cut->profile, at->frame);

	cut->broken[node] =
		!cut->inside[node] && (cut->broken[at->parent] || strcmp(name, FRAME_BROKEN) == 0 ||
					      strcmp(name, FRAME_TRUNCATED) == 0);
	if (cut->depth[node] <= nlabels)
		cut->to[node] = cut->label[node] =
			ctree_child(&cut->tree, cut->label[node], at->frame);
	else if (part == PART_BEGIN)
		cut->to[node] = cut->label[node];
	else if (begins && !cut->inside[at->parent])
		cut->to[node] = ctree_child(&cut->tree, cut->label[node], at->frame);
	else if (cut->to[at->parent] == CTREE_NONE ||
		 ((part == PART_OWN || part == PART_LIBRARY) && !cut->inside[node]))
		cut->to[node] = CTREE_NONE;
	else
		cut->to[node] = ctree_child(&cut->tree, cut->to[at->parent], at->frame);
}

/* Moves the weights of a column; its run then has the cost of what is left. */
static void
move_column(struct cut *cut, size_t column, struct run *run)
{
	const struct ctree *from = &cut->profile->tree;
	const double all = profile_column_total(cut->profile, column);
	double kept = 0;
	double broken = 0;

	ctree_add_column(&cut->tree);
	for (node_id node = 1; node < from->nnodes; node++) {
		const double weight = ctree_weight(from, column, node);

		if (!(weight > 0) || cut->to[node] == CTREE_NONE ||
			cut->parts[from->nodes[node].frame] == PART_BEGIN)
			continue;
		ctree_add(&cut->tree, column, cut->to[node], weight);
		kept += weight;
		broken += cut->broken[node] ? weight : 0;
	}
	if (!(all > 0))
		return;
	run->cost_total *= kept / all;
	run->expected_samples *= kept / all;
	run->samples = (uint64_t)((double)run->samples * (kept / all) + 0.5);
	run->effective_samples *= kept / all;
	/* A stack that reaches its benchmark has all that is compared. */
	const uint64_t left = (uint64_t)((double)run->samples * (kept > 0 ? broken / kept : 0));

	run->broken_stacks = left < run->broken_stacks ? left : run->broken_stacks;
	run->truncated_stacks = left < run->truncated_stacks ? left : run->truncated_stacks;
}

void
suite_cut(const struct workload *workload, struct profile *profile)
{
	const struct suite_preset *preset = workload->unit ? workload->suite->preset : NULL;
	enum part *parts = preset && preset->begins ? find_parts(profile, preset) : NULL;
	const size_t nlabels = profile_nlabels(profile);
	const size_t n = profile->tree.nnodes;

	if (!parts)
		return;
	struct cut cut = {
		.profile = profile,
		.parts = parts,
		.to = mem_zalloc(n, sizeof(*cut.to)),
		.label = mem_zalloc(n, sizeof(*cut.label)),
		.depth = mem_zalloc(n, sizeof(*cut.depth)),
		.inside = mem_zalloc(n, sizeof(*cut.inside)),
		.broken = mem_zalloc(n, sizeof(*cut.broken)),
	};

	ctree_init(&cut.tree);
	for (node_id node = 1; node < n; node++)
		place_node(&cut, node, nlabels);
	for (size_t column = 0; column < profile->nruns; column++)
		move_column(&cut, column, &profile->runs[column]);
	ctree_release(&profile->tree);
	profile->tree = cut.tree;
	free(cut.to);
	free(cut.label);
	free(cut.depth);
	free(cut.inside);
	free(cut.broken);
	free(parts);
}

/* Replaces the word of a side's command that has the length of a run. */
static void
set_amount(struct measurement *m, struct measured_side *side, const char *amount)
{
	const size_t word = m->workload->unit->amount_word;
	const char *const *run = side->workload.run;
	size_t count = 0;

	while (run[count])
		count++;
	const char **words = arena_alloc(&m->arena, (count + 1) * sizeof(*words));

	memcpy(words, run, (count + 1) * sizeof(*words));
	if (word < count)
		words[word] = amount;
	side->workload.run = words;
}

void
suite_fix_iterations(struct measurement *m, const double iterations[MEASURE_SIDES])
{
	const struct suite_unit *unit = m->workload->unit;
	const struct suite_preset *preset = unit ? m->workload->suite->preset : NULL;
	double least = INFINITY;

	if (!unit || !unit->amount_after || m->iterations > 0)
		return;
	for (size_t side = 0; side < m->nsides; side++)
		least = fmin(least, iterations[side]);
	if (preset->threads)
		least /= preset->threads(unit->benchmark);
	if (m->event.counts_all)
		least /= COUNTED_SLOWNESS;
	m->iterations = suite_round_iterations(least);
	const char *amount = arena_printf(&m->arena, "%s%llu%s", unit->amount_before,
		(unsigned long long)m->iterations, unit->amount_after);

	for (size_t side = 0; side < m->nsides; side++)
		set_amount(m, &m->sides[side], amount);
	log_debug("%s: %llu iterations make a run", m->workload->name,
		(unsigned long long)m->iterations);
}
