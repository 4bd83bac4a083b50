#include "cli/input.h"

#include "base/file.h"
#include "base/file_view.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "spec/units.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S 1e9
/* A day. */
#define THRESHOLD_MAX_NS 86400e9
/* A process with a smaller share of a side is not the profiled program. */
#define MAIN_SHARE 0.5

/* An input that has an option is selected by it. */
static int
find_only(const char *text, struct ingest_options *options, struct err *err)
{
	const size_t len = strcspn(text, "=");

	if (text[len] != '=' || !label_find(&options->only, text, len))
		return err_set(err, ERR_USAGE,
			"'--only %s': expected a label and its value, such as phase=parse", text);
	options->only_value = text + len + 1;
	if (options->only.kind != LABEL_THREAD)
		return 0;
	if (options->comm)
		return err_set(
			err, ERR_USAGE, "both '--only %s' and '--comm %s'", text, options->comm);
	options->comm = options->only_value;
	options->only_value = NULL;
	return 0;
}

static int
find_labels(const struct input_choice *choice, struct ingest_options *options, struct err *err)
{
	if (choice->by && labels_parse(&options->by, choice->by, "by", err) < 0)
		return -1;
	return choice->only ? find_only(choice->only, options, err) : 0;
}

static int
find_weight(const char *text, struct ingest_options *options, struct err *err)
{
	if (!text)
		return 0;
	if (strcmp(text, "samples") == 0)
		options->weight = SAMPLE_WEIGHS_ONE;
	else if (strcmp(text, "period") == 0)
		options->weight = SAMPLE_WEIGHS_PERIOD;
	else
		return err_set(err, ERR_USAGE, "'--weight %s': expected samples or period", text);
	return 0;
}

int
input_threshold(const char *text, uint64_t *ns, struct err *err)
{
	const char *problem = "expected a time with its unit, such as 20ms or 500us";
	enum cost_unit unit;
	double cost;

	if (units_cost(text, &cost, &unit, &problem) < 0 ||
		(unit != COST_TIME && unit != COST_NONE) || cost < 0 || cost > THRESHOLD_MAX_NS)
		return err_set(err, ERR_USAGE, "'--slower-than %s': %s", text, problem);
	*ns = (uint64_t)llround(cost);
	return 0;
}

char *
input_recording(const char *path)
{
	static const char *const names[] = {"perf.data", "callgrind.out"};
	const bool is_folder = strcmp(path, "-") != 0 && file_is_dir(path);

	for (size_t i = 0; is_folder && i < sizeof(names) / sizeof(names[0]); i++) {
		char *inside = file_join(path, names[i]);

		if (file_exists(inside) && !file_is_dir(inside))
			return inside;
		free(inside);
	}
	return NULL;
}

static int
read_unsorted(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err)
{
	struct ingest_options options = choice->options;

	if (find_labels(choice, &options, err) < 0 ||
		find_weight(choice->weight, &options, err) < 0 ||
		(choice->slower_than &&
			input_threshold(choice->slower_than, &options.slower_than_ns, err) < 0))
		return -1;
	options.only_operations = choice->slower_than != NULL;
	options.from_ns = (uint64_t)llround(choice->from_s * NS_PER_S);
	options.to_ns = (uint64_t)llround(choice->to_s * NS_PER_S);
	if (choice->to_s > 0 && options.to_ns <= options.from_ns)
		return err_set(err, ERR_USAGE, "'--to' is not after '--from'");
	if (choice->symfs && !file_is_dir(choice->symfs))
		return err_set(err, ERR_USAGE, "'--symfs %s': expected a folder", choice->symfs);
	options.cache = ingest_cache_new();
	if (choice->symfs)
		ingest_cache_set_root(options.cache, choice->symfs);
	ingest_cache_set_debuginfod(options.cache, choice->debuginfod);
	profile_init(profile);

	char *recording = input_recording(path);
	int result = ingest_file(profile, recording ? recording : path, &options, err);

	if (result == 0)
		ingest_cache_warn(options.cache);
	else
		profile_release(profile);
	ingest_cache_free(options.cache);
	free(recording);
	return result;
}

int
input_read(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err)
{
	int result = read_unsorted(profile, path, choice, err);

	if (result == 0)
		profile_sort(profile);
	return result;
}

/* Whether it is a file of folded text: one that is read without messages, and by one thread. */
static bool
is_folded_file(const char *path)
{
	struct file_view view;
	struct err err = {0};
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		file_view_open_stream(&view, path, &err) < 0)
		return false;
	bool is_folded = ingest_find_format(view.data, view.len) == &ingest_folded;

	file_view_close(&view);
	return is_folded;
}

struct reading {
	struct profile *profile;
	const char *path;
	const struct input_choice *choice;
	struct err err;
	int result;
};

static void *
read_aside(void *context)
{
	struct reading *reading = context;

	reading->result =
		read_unsorted(reading->profile, reading->path, reading->choice, &reading->err);
	return NULL;
}

int
input_read_two(struct profile profiles[2], const char *const paths[2],
	const struct input_choice *choice, struct err *err)
{
	struct reading second = {.profile = &profiles[1], .path = paths[1], .choice = choice};
	pthread_t thread;
	bool at_once = is_folded_file(paths[0]) && is_folded_file(paths[1]) &&
		       pthread_create(&thread, NULL, read_aside, &second) == 0;
	int first = read_unsorted(&profiles[0], paths[0], choice, err);

	if (at_once)
		pthread_join(thread, NULL);
	else if (first == 0)
		read_aside(&second);
	if (first == 0 && second.result < 0) {
		profile_release(&profiles[0]);
		*err = second.err;
	}
	if (first < 0 && at_once && second.result == 0)
		profile_release(&profiles[1]);
	return first < 0 || second.result < 0 ? -1 : 0;
}

static bool
has_costs(const struct profile *profile)
{
	for (size_t run = 0; run < profile->nruns; run++)
		if (profile->runs[run].cost_total > 0)
			return true;
	return false;
}

/* Makes one run of all. */
static void
sum_runs(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));
	double total = 0;

	ctree_sum(tree, 0, profile->nruns, sums);
	profile_drop_runs(profile, 0);
	size_t column = profile_add_run(profile);

	for (size_t node = 1; node < tree->nnodes; node++) {
		total += sums[node];
		if (sums[node] > 0)
			ctree_add(tree, column, (node_id)node, sums[node]);
	}
	profile->runs[column].samples = (uint64_t)llround(total);
	free(sums);
}

/*
 * Folded text without runs is the sum of an unknown number of runs. If one side is such a sum, and
 * the other has several runs with weights but no costs, these are summed, too: their mean would be
 * too small by their number.
 */
static void
match_sums(struct profile *before, struct profile *after)
{
	if ((before->nruns == 1) == (after->nruns == 1) || has_costs(before) || has_costs(after))
		return;
	sum_runs(before->nruns > 1 ? before : after);
}

static const char *
root_name(const struct profile *profile, node_id node)
{
	return profile_frame_name(profile, profile->tree.nodes[node].frame);
}

static bool
has_root(const struct profile *profile, const char *name)
{
	const struct ctree_node *nodes = profile->tree.nodes;

	for (node_id node = nodes[CTREE_ROOT].first_child; node != CTREE_NONE;
		node = nodes[node].next_sibling) {
		if (strcmp(root_name(profile, node), name) == 0)
			return true;
	}
	return false;
}

/* The root node that has most of the weight, if `other` has none of its name; else CTREE_ROOT. */
static node_id
main_root(const struct profile *profile, const struct profile *other)
{
	const struct ctree *tree = &profile->tree;
	double *totals = mem_zalloc(tree->nnodes, sizeof(*totals));
	node_id largest = CTREE_ROOT;
	double most = 0;

	ctree_sum(tree, 0, profile->nruns, totals);
	ctree_totals(tree, totals);
	for (node_id node = tree->nodes[CTREE_ROOT].first_child; node != CTREE_NONE;
		node = tree->nodes[node].next_sibling) {
		if (totals[node] > most) {
			most = totals[node];
			largest = node;
		}
	}
	if (!(most > MAIN_SHARE * totals[CTREE_ROOT]) ||
		has_root(other, root_name(profile, largest)))
		largest = CTREE_ROOT;
	free(totals);
	return largest;
}

static void
rename_root(struct profile *profile, node_id node, const char *name)
{
	profile->tree.nodes[node].frame = profile_frame(profile, name, strlen(name), FRAME_USER);
}

/*
 * Stacks begin with the name of the process, so that old-prog and new-prog would have nothing in
 * common. Where one process has most of each side and is not on the other, both become "old-prog ->
 * new-prog" (a real arrow).
 */
static void
match_roots(struct profile *before, struct profile *after)
{
	node_id old = main_root(before, after);
	node_id new = old == CTREE_ROOT ? CTREE_ROOT : main_root(after, before);

	if (new == CTREE_ROOT)
		return;
	char *name =
		mem_printf("%s \xe2\x86\x92 %s", root_name(before, old), root_name(after, new));

	rename_root(before, old, name);
	rename_root(after, new, name);
	free(name);
}

static bool
has_frame(const struct profile *profile, const char *name, enum frame_kind kind)
{
	str_id id = strtab_find(&profile->strings, name, strlen(name));
	frame_id frame;

	return id != 0 && frame_find(&profile->frames, id, kind, &frame);
}

/*
 * Turns inlined frames of a function into called ones if the other build calls it and never inlines
 * it: otherwise it would be two frames, one gone and one new. The effect of inlining is then a
 * change of the function. A frame is changed only if the other profile has no inlined one of its
 * name, so the order of the two profiles does not matter.
 */
static void
match_inlined(struct profile *before, struct profile *after)
{
	struct profile *const sides[] = {before, after};

	for (int side = 0; side < 2; side++) {
		struct profile *profile = sides[side];
		const struct profile *other = sides[!side];

		for (frame_id id = 1; id < profile->frames.nframes; id++) {
			struct frame *frame = &profile->frames.frames[id];
			const char *name = profile_frame_name(profile, id);

			if (frame->kind == FRAME_INLINED && has_frame(other, name, FRAME_USER) &&
				!has_frame(other, name, FRAME_INLINED))
				frame->kind = FRAME_USER;
		}
	}
}

void
input_match_sides(struct profile *before, struct profile *after)
{
	match_sums(before, after);
	match_roots(before, after);
	match_inlined(before, after);
}
