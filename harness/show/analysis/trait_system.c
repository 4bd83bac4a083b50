/*
 * Recommendations on time that is not the program's own: kernel, waits, page faults, locks,
 * allocation, start.
 */
#include "analysis/data.h"
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

/* The weight of the samples whose stack holds a function of each of the classes in `mask`. */
static double
class_weight(const struct analysis_data *data, const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	unsigned *above = mem_zalloc(tree->nnodes, sizeof(*above));
	double weight = 0;

	for (size_t i = 1; i < tree->nnodes; i++) {
		above[i] = above[tree->nodes[i].parent] | classes[tree->nodes[i].frame];
		weight += (above[i] & mask) == mask ? data->self[i] : 0;
	}
	free(above);
	return weight;
}

/* For the kernel and the C library, one above the other, no more are passed over. */
#define HANDS_ON_MAX 256

/* Whether the function only acts for its callers: the kernel's and the C library's do. */
static bool
hands_on(const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *file = file_basename(strtab_str(&profile->strings, f->module));

	return f->kind == FRAME_KERNEL || strncmp(file, "libc.so", 7) == 0 ||
	       strncmp(file, "libc-", 5) == 0;
}

/* The nearest function above that is the program's, else the nearest of all. */
static node_id
owner_above(const struct analysis_data *data, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	node_id above = nodes[node].parent;
	node_id at = above;

	for (unsigned i = 0;
		i < HANDS_ON_MAX && at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT &&
		hands_on(data->profile, nodes[at].frame);
		i++)
		at = nodes[at].parent;
	return at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT ? at : above;
}

static void
class_add_function(const struct analysis_data *data, struct analysis_edges *edges, frame_id frame,
	double weight)
{
	if (!frame_name_is_mark(profile_frame_name(data->profile, frame)))
		analysis_edges_add(data, edges, frame, weight);
}

static void
class_group_init(struct class_group *group, const struct analysis_data *data,
	const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	node_id *entry = mem_zalloc(tree->nnodes, sizeof(*entry));

	*group = (struct class_group){0};
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		entry[i] = entry[node->parent];
		if (entry[i] == CTREE_ROOT && (classes[node->frame] & mask))
			entry[i] = (node_id)i;
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		group->weight += data->self[i];
		class_add_function(
			data, &group->entries, tree->nodes[entry[i]].frame, data->self[i]);
	}
	analysis_edges_end(data, &group->entries);
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		node_id above = owner_above(data, entry[i]);

		if (above != CTREE_ROOT && tree->nodes[above].parent != CTREE_ROOT)
			class_add_function(data, &group->owners, data->code[above], data->self[i]);
	}
	analysis_edges_end(data, &group->owners);
	free(entry);
}

static void
class_group_release(struct class_group *group)
{
	free(group->entries.edges);
	free(group->owners.edges);
	*group = (struct class_group){0};
}

void
class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *call;
	size_t len = function_class_syscall(profile_frame_name(profile, frame), &call);

	if (len > 0)
		name_fit(out, call, len, 40);
	else
		analysis_put_name(out, profile, frame);
}

/* Time that is not the program's own: the kernel, memory, locks, starting. */

#define KERNEL_SHARE 0.10
#define FAULT_SHARE 0.04
#define LOCK_SHARE 0.04
#define ALLOC_SHARE 0.08
#define START_SHARE 0.10
#define WAIT_SHARE 0.04
#define NAMED 3
#define REASON_COLUMNS 40
#define LEAST_NAMED 0.05 /* of the group: functions with less are not named */

static struct advice *
begin_trait(struct advices *advices, double weight)
{
	struct advice *advice = advice_add(advices, analysis_share(advices->data, weight));

	analysis_put_share(&advice->title, advices->data, weight);
	buf_printf(&advice->title, " of the %s %s ", weights_noun(advices->data->profile),
		weights_verb(advices->data->profile));
	return advice;
}

/* "By caller: 40.2 % read_line, 21.8 % emit, 38.0 % 4 more", of the group. */
static void
put_owners(struct buf *out, const struct analysis_data *data, const char *lead,
	const struct class_group *group)
{
	if (group->owners.nedges == 0)
		return;
	buf_puts(out, lead);
	analysis_put_parts(out, data->profile,
		&(struct analysis_parts){&group->owners, group->weight, LEAST_NAMED, true});
	buf_putc(out, '\n');
}

static void
put_entries(struct buf *out, const struct analysis_data *data, const struct class_group *group,
	void (*put)(struct buf *, const struct profile *, frame_id))
{
	for (size_t i = 0; i < group->entries.nedges && i < NAMED; i++) {
		const struct function_edge *entry = &group->entries.edges[i];

		if (i > 0 && entry->weight < LEAST_NAMED * group->weight)
			break;
		buf_puts(out, i > 0 ? ", " : "");
		analysis_put_share(out, data, entry->weight);
		buf_putc(out, ' ');
		put(out, data->profile, entry->frame);
	}
}

/* Page faults have their own trait. */
void
trait_kernel(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group calls;
	double weight = class_weight(data, advices->classes, CLASS_KERNEL);
	double faults = class_weight(data, advices->classes, CLASS_FAULT);
	double waits = class_weight(data, advices->classes, CLASS_KERNEL | CLASS_REASON);
	double interrupts = class_weight(data, advices->classes, CLASS_INTERRUPT);

	/* System calls that are counted are all there, and a thread waits by one. */
	if (analysis_share(data, weight - faults) < KERNEL_SHARE ||
		weights_are_counted(data->profile) || waits > 0)
		return;
	class_group_init(&calls, data, advices->classes, CLASS_SYSCALL);
	struct advice *advice = begin_trait(advices, weight - faults);

	buf_puts(&advice->title, "in the kernel");
	buf_puts(&advice->title, faults > 0 ? ", page faults left out" : "");
	bool calls_are_known = calls.entries.nedges > 0;

	if (calls_are_known) {
		buf_puts(&advice->text, "System calls, by the kernel's name: ");
		put_entries(&advice->text, data, &calls, class_put_syscall);
		if (analysis_share(data, interrupts) >= 0.01) {
			buf_puts(&advice->text, "; interrupts ");
			analysis_put_share(&advice->text, data, interrupts);
		}
		buf_putc(&advice->text, '\n');
	}
	class_group_release(&calls);
	class_group_init(
		&calls, data, advices->classes, calls_are_known ? CLASS_SYSCALL : CLASS_KERNEL);
	put_owners(&advice->text, data, "Callers: ", &calls);
	class_group_release(&calls);
}

static void
put_reason(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *reason = profile_frame_name(profile, frame);

	name_fit(out, reason, strlen(reason), REASON_COLUMNS);
}

/* Appends how much of the waits has no reason, for lack of the kernel's stack, if it is much. */
static void
put_without_reason(
	struct buf *out, const struct analysis_data *data, const struct class_group *group)
{
	for (size_t i = 0; i < group->entries.nedges; i++) {
		const struct function_edge *entry = &group->entries.edges[i];

		if (strcmp(profile_frame_name(data->profile, entry->frame), "blocked") != 0 ||
			entry->weight < LEAST_NAMED * group->weight)
			continue;
		analysis_put_share(out, data, entry->weight);
		buf_puts(out,
			" was recorded without the kernel's stack or the names on it, which tell "
			"the reason: 'profile_run doctor' says what these need\n");
	}
}

void
trait_waits(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group group;

	class_group_init(&group, data, advices->classes, CLASS_REASON);
	if (analysis_share(data, group.weight) >= WAIT_SHARE) {
		struct advice *advice = begin_trait(advices, group.weight);

		buf_puts(&advice->title, "waiting: ");
		put_entries(&advice->title, data, &group, put_reason);
		put_owners(&advice->text, data, "By caller: ", &group);
		put_without_reason(&advice->text, data, &group);
	}
	class_group_release(&group);
}

static void
put_fault_kinds(struct buf *out, const struct advices *advices, double faults)
{
	static const struct {
		unsigned class;
		const char *text;
	} kinds[] = {
		{CLASS_FRESH, "touch memory for the first time: reusing memory avoids them"},
		{CLASS_FILE, "map pages of files, such as the program and its libraries"},
		{CLASS_COPY, "copy pages that were shared since a fork()"},
	};
	size_t shown = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		double weight =
			class_weight(advices->data, advices->classes, CLASS_FAULT | kinds[i].class);

		if (weight < 0.2 * faults)
			continue;
		buf_puts(out, shown++ > 0 ? "; " : "");
		format_percent(out, weight / faults);
		buf_printf(out, " of them %s", kinds[i].text);
	}
	if (shown > 0)
		buf_putc(out, '\n');
}

void
trait_faults(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group group;

	class_group_init(&group, data, advices->classes, CLASS_FAULT);
	if (analysis_share(data, group.weight) >= FAULT_SHARE) {
		struct advice *advice = begin_trait(advices, group.weight);

		buf_puts(&advice->title, "page faults");
		put_fault_kinds(&advice->text, advices, group.weight);
		put_owners(&advice->text, data, "Caused by: ", &group);
	}
	class_group_release(&group);
}

void
trait_locks(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group group;

	class_group_init(&group, data, advices->classes, CLASS_LOCK);
	if (analysis_share(data, group.weight) >= LOCK_SHARE) {
		struct advice *advice = begin_trait(advices, group.weight);
		double waits = class_weight(data, advices->classes, CLASS_LOCK | CLASS_WAIT);

		buf_puts(&advice->title, "in functions that take or release locks: ");
		put_entries(&advice->title, data, &group, analysis_put_name);
		if (waits > 0) {
			format_percent(&advice->text, waits / group.weight);
			buf_printf(&advice->text, " of that waits for a contended lock%s\n",
				weights_are_times(data->profile)
					? ""
					: " on the CPU; time asleep is not in this profile");
		} else {
			buf_puts(&advice->text,
				"None of it waits for a contended lock: this is the cost of taking locks\n");
		}
		put_owners(&advice->text, data, "By caller: ", &group);
	}
	class_group_release(&group);
}

void
trait_allocation(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group group;

	/* Where memory is what is counted, all of it is allocated. */
	if (strcmp(weights_noun(data->profile), "bytes") == 0)
		return;
	class_group_init(&group, data, advices->classes, CLASS_ALLOC);
	if (analysis_share(data, group.weight) >= ALLOC_SHARE) {
		struct advice *advice = begin_trait(advices, group.weight);
		double faults = class_weight(data, advices->classes, CLASS_ALLOC | CLASS_FAULT);

		buf_puts(&advice->title, "in functions that allocate and free memory: ");
		put_entries(&advice->title, data, &group, analysis_put_name);
		put_owners(&advice->text, data, "By caller: ", &group);
		if (faults >= 0.1 * group.weight) {
			format_percent(&advice->text, faults / group.weight);
			buf_puts(&advice->text, " of that are page faults\n");
		}
	}
	class_group_release(&group);
}

/* Appends the share as CPU time of each execution, where that was sampled and the runs measured. */
static void
put_cpu_time(struct buf *out, const struct analysis_data *data, double share)
{
	const struct profile *profile = data->profile;
	double cpu_ns = 0;
	double executions = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		cpu_ns += (double)profile->runs[i].cpu_ns;
		executions += executions_of_run(&profile->runs[i]);
	}
	if (!(cpu_ns > 0) || !weights_are_samples(profile))
		return;
	buf_puts(out, "That is ");
	format_cost(out, share * cpu_ns / executions, "ns");
	buf_printf(
		out, " of CPU time per %s, independent of its length\n", executions_basis(profile));
}

void
trait_start(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	struct class_group group;

	class_group_init(&group, data, advices->classes, CLASS_START);
	if (analysis_share(data, group.weight) >= START_SHARE) {
		struct advice *advice = begin_trait(advices, group.weight);

		buf_puts(&advice->title, "in functions that start the program: ");
		put_entries(&advice->title, data, &group, analysis_put_name);
		put_cpu_time(&advice->text, data, advice->share);
	}
	class_group_release(&group);
}
