#include "baseline/update_counts.h"

#include "base/file.h"
#include "base/mem.h"
#include "baseline/update.h"
#include "gate/gate_planner.h"
#include "gate/plan_base.h"
#include "gate/stored_code.h"
#include "gate/stored_counts.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/session.h"

#include <stdlib.h>
#include <string.h>

/* A build of a workload: the program of some baselines. Its instructions are counted once. */
struct counted_build {
	const struct measurement *m;
	enum measure_side side;
	const char *commit; /* that was built; "": the working tree differs from its commit */
	bool counted;
	struct taken_counts counts;
};

/* State shared while counts are added to the baselines of all workloads. */
struct addition {
	const struct gate_options *options;
	struct session session;
	struct baseline_list list;
	struct gate_planner planner;
	struct gate_bases bases;
	char *scratch;
	size_t n;
	struct measurement *here; /* by workload: the builds of the working tree */
	struct buf *text;
	bool incomplete; /* something was not counted */
};

/* The measurement of pairs with a build of a baseline's commit; only that build is counted. */
struct rebuilt {
	struct rounds *rounds; /* NULL: none were begun */
	struct measurement *measurements;
	size_t n;
	struct counted_build build;
};

/* Why a build is taken for the program of a baseline; NULL: it is not. */
static const char *
proof_of(const struct counted_build *build, const struct baseline *baseline)
{
	const struct measured_side *side = &build->m->sides[build->side];
	const char *code = strtab_str(&side->profile.strings, side->profile.code);
	const char *stored = strtab_str(&baseline->profile.strings, baseline->profile.code);
	const struct baseline_info *info = &baseline->info;

	if (strcmp(info->program_hash, side->program_hash) == 0)
		return "the same program";
	if (stored[0])
		return strcmp(stored, code) == 0 ? "the same machine code and data" : NULL;
	return info->commit[0] && strcmp(info->commit, build->commit) == 0
		       ? "built of its commit; it has no digest to compare with"
		       : NULL;
}

/* Counts the instructions of a build, unless this was done. -1 after an interruption. */
static int
take_counts(const struct addition *addition, struct counted_build *build, struct err *err)
{
	const struct counts_request request = {
		.session = &addition->session,
		.m = build->m,
		.side = build->side,
		.limit_s = addition->options->count_limit_s,
		.scratch_dir = addition->scratch,
	};

	if (build->counted)
		return 0;
	build->counted = true;
	return stored_counts_take(&request, &build->counts, err);
}

/* Adds the counts of a build that is the program of the baseline in `folder`, as `proof` says. */
static int
add_to(struct addition *addition, struct counted_build *build, const char *folder,
	const char *proof, struct err *err)
{
	const struct measurement *m = build->m;
	const struct measured_side *side = &m->sides[build->side];
	const bool is_base = build->side == MEASURE_BASE;
	struct code_lists code;

	if (take_counts(addition, build, err) < 0)
		return -1;
	buf_printf(addition->text, "%-20s %s (", m->workload->name, folder);
	if (is_base)
		buf_printf(addition->text, "commit %.12s, built here: ", build->commit);
	buf_printf(addition->text, "%s)", proof);
	int result =
		stored_counts_write(folder, &build->counts, m->workload->name, addition->text, err);

	if (result == 0 && !stored_code_read(folder, &code))
		result = stored_code_write(folder, is_base ? m->base : NULL, &side->profile,
			side->program_hash, build->commit, err);
	code_lists_release(&code);
	buf_putc(addition->text, '\n');
	addition->incomplete = addition->incomplete || build->counts.outcome != COUNTS_TAKEN;
	return result;
}

/* Says why a baseline gets no counts, and what helps; `fetch` is a command, or NULL. */
static void
refuse(struct addition *addition, const char *workload, const char *folder, const char *why,
	const char *fetch)
{
	size_t len = strcspn(why, "\n");

	len -= len > 0 && why[len - 1] == '.';
	buf_printf(addition->text,
		"%-20s not counted: the working tree's build is not the program of '%s', and %.*s; ",
		workload, folder, (int)len, why);
	if (fetch)
		buf_printf(addition->text, "run '%s' first, or ", fetch);
	buf_printf(addition->text, "record it again with 'profile_run baseline update%s %s'\n",
		addition->options->config->options, workload);
	addition->incomplete = true;
}

static void
rebuilt_release(struct rebuilt *rebuilt)
{
	rounds_end(rebuilt->rounds);
	for (size_t i = 0; rebuilt->measurements && i < rebuilt->n; i++)
		measurement_release(&rebuilt->measurements[i]);
	free(rebuilt->measurements);
	taken_counts_release(&rebuilt->build.counts);
	*rebuilt = (struct rebuilt){0};
}

/*
 * Builds the commit of a baseline of workload `w` beside the working tree, and sets it up. The
 * measurement tells whether that worked. -1 as rounds_open().
 */
static int
rebuild(struct addition *addition, size_t w, const struct build_side *base, struct rebuilt *rebuilt,
	struct err *err)
{
	bool *leave_out = mem_zalloc(addition->n, sizeof(*leave_out));
	const struct measure_options options = {
		.scratch_dir = addition->scratch, .leave_out = leave_out};

	for (size_t i = 0; i < addition->n; i++)
		leave_out[i] = i != w;
	*rebuilt = (struct rebuilt){
		.measurements = mem_zalloc(addition->n, sizeof(struct measurement)),
		.n = addition->n,
		.build = {.side = MEASURE_BASE, .commit = base->commit},
	};
	rebuilt->build.m = &rebuilt->measurements[w];
	rebuilt->rounds =
		rounds_open(rebuilt->measurements, addition->options->workloads, &options, err);
	free(leave_out);
	if (!rebuilt->rounds)
		return -1;
	measurement_set_base(&rebuilt->measurements[w], base);
	rebuilt->measurements[w].builder = &addition->here[w];
	return rounds_build(rebuilt->rounds, err) < 0 || rounds_prepare(rebuilt->rounds, err) < 0
		       ? -1
		       : 0;
}

/* Why the build of a commit is of no use; NULL: it can be counted. */
static const char *
problem_of(const struct measurement *m)
{
	return m->error ? m->error : m->base_problem;
}

/* Adds counts of a build of the baseline's commit; `rebuilt` may have it from another baseline. */
static int
add_rebuilt(struct addition *addition, size_t w, const char *folder,
	const struct baseline *baseline, struct rebuilt *rebuilt, struct err *err)
{
	const struct baseline_info *info = &baseline->info;
	const struct workload *workload = addition->here[w].workload;
	const struct build_side *base = NULL;
	const char *why = plan_base_refuse(&addition->planner, info, workload);
	struct err failure = {0};

	if (!why)
		base = gate_bases_open(
			&addition->bases, &addition->planner.repository, info->commit, &failure);
	if (failure.kind == ERR_INTERRUPTED) {
		*err = failure;
		return -1;
	}
	if (base && (!rebuilt->rounds || rebuilt->build.m->base != base)) {
		rebuilt_release(rebuilt);
		if (rebuild(addition, w, base, rebuilt, err) < 0)
			return -1;
	}
	if (!why)
		why = base ? problem_of(rebuilt->build.m) : failure.text;
	const char *proof = why ? NULL : proof_of(&rebuilt->build, baseline);

	if (proof)
		return add_to(addition, &rebuilt->build, folder, proof, err);
	refuse(addition, workload->name, folder,
		why ? why
		    : "nor is that of its commit: it was built in another way, by another compiler "
		      "perhaps",
		plan_base_fetch(&addition->planner, info));
	return 0;
}

/* Adds counts to all baselines of workload `w`. */
static int
add_to_all(struct addition *addition, size_t w, struct err *err)
{
	const struct measurement *here = &addition->here[w];
	const bool clean = strcmp(addition->session.working_tree, "clean") == 0;
	struct counted_build build = {.m = here,
		.side = MEASURE_CANDIDATE,
		.commit = clean ? addition->session.commit : ""};
	struct rebuilt rebuilt = {0};
	int result = 0;

	for (size_t i = 0; i < addition->list.nentries && result == 0; i++) {
		const struct baseline_entry *entry = &addition->list.entries[i];
		struct baseline baseline;
		bool found = false;

		if (strcmp(entry->workload, here->workload->stored_name) != 0 ||
			strcmp(entry->metric, here->workload->capture.metric) != 0)
			continue;
		result = baseline_read(&baseline, entry->folder, &found, err);
		if (!found)
			continue;
		const char *proof = proof_of(&build, &baseline);

		result = proof ? add_to(addition, &build, entry->folder, proof, err)
			       : add_rebuilt(addition, w, entry->folder, &baseline, &rebuilt, err);
		baseline_release(&baseline);
	}
	rebuilt_release(&rebuilt);
	taken_counts_release(&build.counts);
	return result;
}

static int
add(struct addition *addition, struct err *err)
{
	const struct measure_options measure = {.scratch_dir = addition->scratch};

	if (baseline_list_read(&addition->list, addition->options->config->baselines_dir, err) < 0)
		return -1;
	addition->planner.session = &addition->session;
	addition->planner.stored = &addition->list;
	gate_planner_init(&addition->planner);
	struct rounds *rounds =
		rounds_open(addition->here, addition->options->workloads, &measure, err);
	int result = rounds ? rounds_build(rounds, err) : -1;

	for (size_t i = 0; i < addition->n && result == 0; i++) {
		if (addition->here[i].error)
			addition->incomplete = true;
		else
			result = add_to_all(addition, i, err);
	}
	rounds_end(rounds);
	return result;
}

int
update_counts(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct addition addition = {
		.options = options, .n = options->workloads->nworkloads, .text = text};

	*exit_code = 0;
	addition.here = mem_zalloc(addition.n, sizeof(*addition.here));
	int result = update_begin(options, &addition.session, &addition.scratch, err);

	if (result == 0) {
		char *changed = NULL;

		session_find_changes(&addition.session, &changed);
		free(changed);
		result = add(&addition, err);
		file_dir_abandon(addition.scratch);
	}
	if (addition.incomplete)
		*exit_code = 2;
	for (size_t i = 0; i < addition.n; i++)
		measurement_release(&addition.here[i]);
	gate_planner_release(&addition.planner);
	gate_bases_release(&addition.bases);
	baseline_list_release(&addition.list);
	free(addition.here);
	return result;
}
