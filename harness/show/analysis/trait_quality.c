/*
 * Recommendations on the quality of a profile: unknown functions, incomplete or flat stacks, too
 * few samples, other processes.
 */
#include "analysis/analysis.h"
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/figures.h"
#include "profile/incomplete.h"
#include "profile/interpreter.h"
#include "profile/weights.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIST_BYTES_MAX (16 << 20)

static int
is_list(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".list") == 0;
}

/* Whether one line of `text` is `path`. */
static bool
has_line(const char *text, const char *path)
{
	size_t len = strlen(path);

	for (const char *at = strstr(text, path); at; at = strstr(at + 1, path))
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || at[len] == '\0'))
			return true;
	return false;
}

static bool
list_has(const char *folder, const char *name, const char *path, const char *unmerged)
{
	struct err ignored = {0};
	struct buf text = {0};
	char *list = file_join(folder, name);

	bool found = file_read(list, &text, LIST_BYTES_MAX, &ignored) == 0 &&
		     (has_line(buf_text(&text), path) ||
			     (unmerged && has_line(buf_text(&text), unmerged)));

	buf_release(&text);
	free(list);
	return found;
}

bool
package_of_file(const char *folder, const char *path, struct buf *out)
{
	struct dirent **entries;
	bool merged = strncmp(path, "/usr/", 5) == 0;
	char *other = merged ? NULL : mem_printf("/usr%s", path);
	const char *unmerged = merged ? path + 4 : other;
	bool found = false;

	/* In order, so that the same one is found each time. */
	int n = path[0] == '/' ? scandir(folder, &entries, is_list, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		if (!found && list_has(folder, entries[i]->d_name, path, unmerged)) {
			/* "libc6:amd64.list" */
			buf_put(out, entries[i]->d_name,
				strcspn(entries[i]->d_name, ":") < strlen(entries[i]->d_name) - 5
					? strcspn(entries[i]->d_name, ":")
					: strlen(entries[i]->d_name) - 5);
			found = true;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(other);
	return found;
}

void
package_put_symbols(struct buf *out, const char *package)
{
	buf_printf(out, "%s-%s", package, strcmp(package, "libc6") == 0 ? "dbg" : "dbgsym");
}

/* Limits of a profile, and how to improve it. */

#define UNKNOWN_SHARE 0.05
#define UNKNOWN_SHOWN 3
#define INCOMPLETE_SHARE 0.03
#define FEW_SAMPLES 400
#define LEAST_SAMPLES 10 /* with fewer the normal approximation does not hold */
#define NORMAL_95 1.96   /* two-sided */
#define SHORT_NS 500000000
#define ENOUGH_HALF_WIDTH 0.02
#define MOST_TIMES 100 /* more would take too long */
#define MOST_HZ 10000
#define LARGEST_STACK_KIB 64 /* that perf_event_open(2) copies: sample_stack_user has 16 bits */
#define OTHER_PROCESSES_SHARE 0.05
#define OTHERS_SHOWN 3
#define FLAT_DEPTH 2
#define FLAT_FUNCTIONS 5

/* The process that has most of the frame. */
static frame_id
process_of(const struct analysis_data *data, frame_id of)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	frame_id best = 0;

	for (size_t i = data->first[of]; i < data->first[of + 1]; i++) {
		node_id at = data->recursion.top[data->nodes[i]];
		double weight = data->self[data->nodes[i]];

		data->scratch[nodes[at].frame] += weight;
		if (best == 0 || data->scratch[nodes[at].frame] > data->scratch[best])
			best = nodes[at].frame;
	}
	memset(data->scratch, 0, data->profile->frames.nframes * sizeof(*data->scratch));
	return best;
}

/*
 * The cause for which the file at `path` could not be read when the capture was, a clause of *len
 * bytes: its stacks and names are not there for that reason. NULL if it was, or nothing is known.
 */
static const char *
missing_file_cause(const struct profile *profile, const char *path, size_t *len)
{
	const size_t path_len = strlen(path);
	const char *line = strtab_str(&profile->strings, profile->missing);

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, path, path_len) != 0 || line[path_len] != '\t')
			continue;
		const char *cause = line + path_len + 1;

		*len = strcspn(cause, "\n");
		return cause;
	}
	return NULL;
}

/* Where the file of `frame` could not be read: that is the reason, and nothing of its build. */
static bool
put_missing(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *module = strtab_str(&profile->strings, profile->frames.frames[frame].module);
	size_t len;
	const char *cause = missing_file_cause(profile, module, &len);

	if (cause)
		buf_printf(out, "its file, %s, %.*s", module, (int)len, cause);
	return cause != NULL;
}

static void
put_fix_module(struct buf *out, const struct advices *advices, const char *module)
{
	struct buf package = {0};

	if (advices->options->packages &&
		package_of_file(advices->options->packages, module, &package)) {
		buf_puts(out, "install ");
		package_put_symbols(out, buf_text(&package));
		buf_puts(out, ", or read with --debuginfod");
	} else if (strncmp(module, "/usr/", 5) == 0 || strncmp(module, "/lib", 4) == 0) {
		buf_puts(out, "install its debug package, or read with --debuginfod");
	} else {
		buf_puts(out, "link it without -s and do not strip it; -g adds lines");
	}
	buf_release(&package);
}

/* Memory without a file: code that was made while the program ran. */
static bool
is_memory(const char *module)
{
	static const char *const memory[] = {"//anon", "/memfd:", "[anon"};

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (strncmp(module, memory[i], strlen(memory[i])) == 0)
			return true;
	return false;
}

static void
put_fix(struct buf *out, const struct advices *advices, frame_id frame)
{
	const struct profile *profile = advices->data->profile;
	const struct frame *f = &profile->frames.frames[frame];
	const char *module = strtab_str(&profile->strings, f->module);
	const char *name = profile_frame_name(profile, frame);

	if (put_missing(out, profile, frame)) {
		buf_puts(out, ", so that its functions have no names");
	} else if (f->kind == FRAME_KERNEL) {
		buf_puts(out, "capture as root, or with kernel.kptr_restrict=0");
	} else if (module[0] == '/' && !is_memory(module)) {
		put_fix_module(out, advices, module);
	} else if (strcmp(name, "[unknown]") != 0 && !is_memory(module)) {
		buf_puts(out, "its debug package or a build that is not stripped has the names");
	} else {
		const char *advice = interpreter_advice(
			profile_frame_name(profile, process_of(advices->data, frame)));

		buf_puts(out, "code that no file and no map of JIT code names");
		buf_puts(out, advice ? "; " : "");
		buf_puts(out, advice ? advice : "");
	}
}

void
trait_unknown(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct profile *profile = data->profile;
	size_t shown = 0;

	if (analysis_share(data, data->unknown) < UNKNOWN_SHARE)
		return;
	struct advice *advice = advice_add(advices, analysis_share(data, data->unknown));

	format_percent(&advice->title, advice->share);
	buf_printf(&advice->title, " of the %s %s in code without names", weights_noun(profile),
		weights_verb(profile));
	for (size_t i = 0; i < data->nranked && shown < UNKNOWN_SHOWN; i++) {
		const struct analysis_function *one = &data->ranked[i];

		if (!frame_name_is_unknown(profile_frame_name(profile, one->frame)))
			continue;
		/* The largest, and others that are large enough. */
		if (shown++ > 0 && one->self < 0.1 * data->unknown)
			break;
		analysis_put_share(&advice->text, data, one->self);
		buf_putc(&advice->text, ' ');
		analysis_put_name(&advice->text, profile, one->frame);
		buf_puts(&advice->text, ": ");
		put_fix(&advice->text, advices, one->frame);
		buf_putc(&advice->text, '\n');
	}
}

/* The function at which most stacks below marks of broken ones begin: unwinding got no further. */
static frame_id
broken_at(const struct analysis_data *data)
{
	const struct profile *profile = data->profile;
	const struct ctree *tree = &profile->tree;
	frame_id best = 0;

	for (size_t i = 1; i < tree->nnodes; i++) {
		node_id parent = tree->nodes[i].parent;
		frame_id frame = tree->nodes[i].frame;

		if (parent == CTREE_ROOT ||
			strcmp(profile_frame_name(profile, tree->nodes[parent].frame),
				FRAME_BROKEN) != 0)
			continue;
		data->scratch[frame] += data->total[i];
		if (best == 0 || data->scratch[frame] > data->scratch[best])
			best = frame;
	}
	memset(data->scratch, 0, profile->frames.nframes * sizeof(*data->scratch));
	return best;
}

static void
put_fix_truncated(struct buf *out, const struct profile *profile)
{
	unsigned kib = (profile->stack_bytes + 1023) / 1024;

	if (incomplete_limits_frames(profile))
		buf_puts(out, "they have more frames than the kernel records: `sysctl "
			      "kernel.perf_event_max_stack=1024` raises the limit, --call-graph "
			      "dwarf does without");
	else if (kib == 0 && profile->callgraph == 0)
		buf_puts(out, "`sysctl kernel.perf_event_max_stack=1024` records more frames of "
			      "each stack, --stack-size copies more of it");
	else if (kib == 0)
		buf_puts(out, "--stack-size copies more of each stack");
	else if (kib < LARGEST_STACK_KIB)
		buf_printf(out, "capture with --stack-size %uKiB: %u KiB were copied",
			kib * 2 < LARGEST_STACK_KIB ? kib * 2 : LARGEST_STACK_KIB, kib);
	else
		buf_puts(out, "the kernel copies no more than 64 KiB: -fno-omit-frame-pointer and "
			      "--call-graph fp have no such limit");
	buf_putc(out, '\n');
}

/* Go's compiler keeps frame pointers, and has no option for them. */
static bool
is_go(const struct profile *profile)
{
	static const char *const starts[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};

	for (size_t i = 0; i < profile->frames.nframes; i++) {
		const char *name = profile_frame_name(profile, (frame_id)i);

		for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
			if (strncmp(name, starts[k], strlen(starts[k])) == 0)
				return true;
	}
	return false;
}

static void
put_fix_broken(struct buf *out, const struct analysis_data *data)
{
	const char *callgraph = strtab_str(&data->profile->strings, data->profile->callgraph);
	frame_id at = broken_at(data);
	const struct frame *frame = &data->profile->frames.frames[at];
	const bool jit = frame->kind == FRAME_JIT ||
			 is_memory(strtab_str(&data->profile->strings, frame->module));

	if (at > 0) {
		buf_puts(out, "Most of the broken ones begin at ");
		analysis_put_function(out, data->profile, at);
		buf_puts(out, ": ");
	}
	if (at > 0 && put_missing(out, data->profile, at))
		buf_puts(out, ", so that their callers are not known\n");
	else if (is_go(data->profile))
		buf_puts(out, "Go keeps frame pointers; only its assembly and C code called by cgo "
			      "may lack them: build the C code with CGO_CFLAGS='-O2 -g "
			      "-fno-omit-frame-pointer', and capture with --call-graph fp\n");
	else if (strcmp(callgraph, "dwarf") != 0)
		buf_puts(out, "capture with --call-graph dwarf, or compile with "
			      "-fno-omit-frame-pointer\n");
	else if (jit)
		buf_puts(out, "its callers are not known: its compiler keeps frame pointers only "
			      "with an option (Java: -XX:+PreserveFramePointer; Ruby: "
			      "--yjit-perf)\n");
	else
		buf_puts(out, "its callers are not known; "
			      "compile with -fasynchronous-unwind-tables or with frame pointers\n");
}

void
trait_incomplete(struct advices *advices)
{
	const struct profile *profile = advices->data->profile;
	const struct incomplete_stacks stacks = incomplete_count_stacks(profile);
	double truncated = incomplete_marked_share(profile, FRAME_TRUNCATED);
	double broken = incomplete_marked_share(profile, FRAME_BROKEN);

	if (stacks.samples > 0 && !advices->options->focus) {
		truncated = (double)stacks.truncated / (double)stacks.samples;
		broken = (double)stacks.broken / (double)stacks.samples;
	}
	if (truncated + broken < INCOMPLETE_SHARE)
		return;
	struct advice *advice = advice_add(advices, truncated + broken);

	format_percent(&advice->title, advice->share);
	buf_puts(&advice->title,
		" of the stacks are incomplete: they are missing from the totals of what called them");
	if (truncated >= INCOMPLETE_SHARE / 2) {
		format_percent(&advice->text, truncated);
		buf_puts(&advice->text, " are truncated: ");
		put_fix_truncated(&advice->text, profile);
	}
	if (broken >= INCOMPLETE_SHARE / 2)
		put_fix_broken(&advice->text, advices->data);
}

/* No stack holds more than a process and one function. */
void
trait_flat(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct ctree *tree = &data->profile->tree;
	unsigned *depth = mem_zalloc(tree->nnodes, sizeof(*depth));
	unsigned deepest = 0;

	for (size_t i = 1; i < tree->nnodes; i++) {
		depth[i] = depth[tree->nodes[i].parent] + 1;
		deepest = depth[i] > deepest ? depth[i] : deepest;
	}
	free(depth);
	if (deepest > FLAT_DEPTH || data->nranked < FLAT_FUNCTIONS)
		return;
	struct advice *advice = advice_add(advices, 1);

	buf_printf(&advice->title,
		"No stack has more than %u %s: the callers of the %zu functions are not known",
		deepest, deepest == 1 ? "frame" : "frames", data->nranked);
	buf_puts(&advice->text, "Capture with --call-graph fp, or dwarf where there are no frame "
				"pointers\n");
}

/* The effective number of samples; 0 where the weights are none. */
static double
count_samples(const struct analysis_data *data)
{
	double samples = 0;

	if (weights_are_counted(data->profile))
		return 0;
	for (size_t i = 0; i < data->profile->nruns; i++)
		samples += run_effective_samples(&data->profile->runs[i]);
	/* A focus keeps only a part of the samples. */
	return weights_are_samples(data->profile) ? data->all : samples;
}

/*
 * Half the width of the 95 % confidence interval of a binomial share, by the normal approximation.
 */
static double
half_width(double share, double samples)
{
	return NORMAL_95 * sqrt(share * (1 - share) / samples);
}

/* For a command that was executed once and ended soon. */
static bool
is_short(const struct profile *profile)
{
	const struct run *run = &profile->runs[0];

	return profile->nruns == 1 && run->executions == 1 && run->wall_ns < SHORT_NS;
}

void
trait_few(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	double samples = count_samples(data);
	double share = analysis_share(data, data->ranked[0].self);
	/* At most one half, where the interval is widest: near 1 it would seem too narrow. */
	double of = share > 0.5 ? 0.5 : share;
	double half = half_width(of, samples);

	/* Each wait is timed: few of them are no less certain. */
	if (!(samples > 0) || samples >= FEW_SAMPLES || weights_are_times(data->profile))
		return;
	struct advice *advice = advice_add(advices, 1);
	double times = ceil(half * half / (ENOUGH_HALF_WIDTH * ENOUGH_HALF_WIDTH));
	double hz = data->profile->frequency_hz;

	buf_puts(&advice->title, round(samples) == 1 ? "There is only " : "There are only ");
	format_count(&advice->title, round(samples));
	if (data->profile->weight != 0)
		buf_puts(&advice->title, " effective");
	if (samples < LEAST_SAMPLES) {
		buf_puts(&advice->title, round(samples) == 1 ? " sample" : " samples");
		buf_puts(&advice->title, ": too few for shares");
	} else {
		buf_puts(&advice->title, " samples: a share of ");
		format_percent(&advice->title, of);
		buf_printf(&advice->title, " is known to within %.1f points", 100 * half);
	}
	if (is_short(data->profile)) {
		buf_puts(&advice->text,
			"Capture with --repeat auto --frequency 4999, which executes "
			"the command for about a second of CPU time\n");
		return;
	}
	if (samples < LEAST_SAMPLES || times < 2 || times > MOST_TIMES)
		return;
	format_count(&advice->text, times);
	buf_puts(&advice->text, " times as many would make that 2 points");
	if (hz > 0 && hz * times <= MOST_HZ)
		buf_printf(&advice->text, ": capture with --frequency %.0f", hz * times - 1);
	buf_putc(&advice->text, '\n');
}

/* The first label that the profile was cut by. */
struct first_label {
	const char *name;
	int len;
	bool of_threads, of_processes;
};

static struct first_label
first_label(const struct profile *profile)
{
	const char *by = profile->by ? strtab_str(&profile->strings, profile->by) : "thread";
	const int len = (int)strcspn(by, ",");

	return (struct first_label){
		.name = by,
		.len = len,
		.of_threads = len == 6 && strncmp(by, "thread", 6) == 0,
		.of_processes = len == 7 && strncmp(by, "process", 7) == 0,
	};
}

static void
put_others(
	struct buf *out, const struct analysis_data *data, const struct analysis_edges *processes)
{
	size_t others = processes->nedges - 1;
	const struct first_label label = first_label(data->profile);

	for (size_t i = 1; i <= others && i <= OTHERS_SHOWN; i++) {
		buf_puts(out, i > 1 ? ", " : "");
		analysis_put_share(out, data, processes->edges[i].weight);
		buf_putc(out, ' ');
		analysis_put_name(out, data->profile, processes->edges[i].frame);
	}
	if (others > OTHERS_SHOWN)
		buf_printf(out, " and %zu more", others - OTHERS_SHOWN);
	if (label.of_threads)
		buf_puts(out, "; --comm NAME selects one\n");
	else
		buf_printf(out, "; --only %.*s=VALUE selects one\n", label.len, label.name);
}

/* "3 other processes and threads share" */
static void
put_remaining(struct buf *out, const struct profile *profile, size_t count)
{
	const struct first_label label = first_label(profile);

	if (label.of_threads || label.of_processes)
		buf_printf(out, "%zu other %s ", count,
			count == 1 ? "process or thread has" : "processes and threads share");
	else
		buf_printf(out, "%zu other value%s of '%.*s' %s ", count, count == 1 ? "" : "s",
			label.len, label.name, count == 1 ? "has" : "share");
}

/* Whether it is among the first frames of its stacks, which are labels. */
static bool
is_label(const struct analysis_data *data, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	size_t left = data->nlabels;

	while (left > 0 && nodes[node].parent != CTREE_ROOT) {
		node = nodes[node].parent;
		left--;
	}
	return left > 0;
}

/*
 * Whether the frame is a label, such as the process or thread, that stands at the root of stacks,
 * and nothing else.
 */
static bool
is_root(const struct analysis_data *data, frame_id frame)
{
	/* A stack of one frame is a function in a file that has no processes. */
	for (size_t i = data->first[frame]; i < data->first[frame + 1]; i++)
		if (!is_label(data, data->nodes[i]) || data->self[data->nodes[i]] > 0)
			return false;
	return data->first[frame] < data->first[frame + 1];
}

void
trait_processes(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct ctree_node *nodes = data->profile->tree.nodes;
	struct analysis_edges processes = {0};

	for (node_id at = nodes[CTREE_ROOT].first_child; at != CTREE_NONE;
		at = nodes[at].next_sibling) {
		if (is_root(data, nodes[at].frame))
			analysis_edges_add(data, &processes, nodes[at].frame, data->total[at]);
	}
	analysis_edges_end(data, &processes);
	size_t n = processes.nedges;
	const struct function_edge *most = processes.edges;

	if (n > 1 && most->weight >= 0.5 * data->all &&
		most->weight <= (1 - OTHER_PROCESSES_SHARE) * data->all) {
		double others = data->all - most->weight;
		struct advice *advice = advice_add(advices, analysis_share(data, others));

		analysis_put_name(&advice->title, data->profile, most->frame);
		buf_puts(&advice->title, " has ");
		analysis_put_share(&advice->title, data, most->weight);
		buf_printf(&advice->title, " of the %s, ", weights_noun(data->profile));
		put_remaining(&advice->title, data->profile, n - 1);
		analysis_put_share(&advice->title, data, others);
		put_others(&advice->text, data, &processes);
	}
	free(processes.edges);
}
