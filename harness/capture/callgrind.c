/*
 * The callgrind backend: every instruction is counted, by valgrind's callgrind, in place of samples
 * of time. The same program on the same input takes the same number, whatever else the machine
 * does.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "perf_event/trial.h"
#include "process/process.h"
#include "process/signals.h"
#include "profile/executions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct capture_backend capture_perf;
extern const struct capture_backend capture_callgrind;
extern void callgrind_probe(const struct probe_context *context, struct probe_result *result);

#define EVENT_NAME "callgrind"

/*
 * A program runs 20 to 100 times slower, and one thread of it at a time: its timeout is that many
 * times longer.
 */
#define TIMEOUT_FACTOR 50
/* For a valgrind that does nothing. */
#define TRIAL_TIMEOUT_S 60

/*
 * So many callers are part of a function's name, which is then its stack. Stacks that are not
 * deeper lose nothing, and a larger number costs them nothing; it bounds recursion through many
 * functions, which has more stacks with every level. A compiler's recursion takes twice the time
 * and memory that callgrind takes without it.
 */
#define SEPARATE_CALLERS "--separate-callers=48"

/*
 * A forked child inherits the counts of its parent: that cost would be counted twice. callgrind
 * resets its counts where it writes a part of the profile.
 */
#define BEFORE_FORK                                                            \
	"--dump-before=fork", "--dump-before=fork@@*", "--dump-before=_Fork*", \
		"--dump-before=__libc_fork*"

static const char *const options[] = {
	"valgrind",
	"--command-line-only=yes", /* not what ~/.valgrindrc adds */
	"--tool=callgrind",
	"--quiet",
	"--vgdb=no",
	"--trace-children=yes",
	"--show-below-main=yes",
	"--dump-instr=no",
	/* Functions in stacks by number: shorter, and an apostrophe can only be part of a name. */
	"--compress-strings=yes",
	"--compress-mangled=yes",
	BEFORE_FORK,
	NULL,
};

#define NOPTIONS (sizeof(options) / sizeof(options[0]) - 1)

/* One run in the making. */
struct callgrind_run {
	const struct capture_request *request;
	char *dir;         /* where the files go */
	char *out_option;  /* --callgrind-out-file */
	const char **argv; /* the whole command */
	uint64_t harness_start_ns;
};

/* "Valgrind-3.19.0", from valgrind's output of its version. */
static void
put_version(const char *output, struct capture_event *event)
{
	const char *at = strstr(output, "valgrind-");
	int len = at ? (int)strcspn(at, " \n") : 0;

	snprintf(event->reason, sizeof(event->reason), "%.*s counts every instruction",
		len > 0 && len < 64 ? len : 8, len > 0 ? at : "valgrind");
}

/* Runs a valgrind that writes nothing, to its end. */
static int
try_valgrind(const char *const *argv, struct tail *output, struct err *err)
{
	const struct child_spec spec = {.argv = argv, .output = CHILD_MERGE};
	struct child child;

	if (process_run(&child, &spec, "valgrind", TRIAL_TIMEOUT_S, err) < 0)
		return -1;
	*output = child.tail;
	return child_judge(&child, "valgrind", err);
}

static int
choose_callgrind(struct capture_event *event, struct err *err)
{
	static const char *const version[] = {"valgrind", "--version", NULL};
	static const char *const trial[] = {"valgrind", "--command-line-only=yes", "--quiet",
		"--tool=callgrind", "--callgrind-out-file=/dev/null", "--", "/bin/sh", "-c", ":",
		NULL};
	struct tail output;
	char text[TAIL_MAX + 1];

	*event = (struct capture_event){.name = EVENT_NAME,
		.rate_hz = 1e9,
		.counts_all = true,
		.own_stacks = true,
		.own_format = true};
	if (try_valgrind(version, &output, err) < 0) {
		if (err->kind == ERR_INTERRUPTED)
			return -1;
		return err_set(err, ERR_MEASURE,
			"the metric 'instructions' needs valgrind: install it (apt-get install valgrind)");
	}
	tail_text(&output, text, sizeof(text));
	put_version(text, event);
	if (try_valgrind(trial, &output, err) < 0)
		return err_note(err, "valgrind is here, but its tool callgrind does not work");
	return 0;
}

/* "instructions" is the counter of the machine, by samples. */
static int
choose(const char *wanted, struct capture_event *event, struct err *err)
{
	if (strcmp(wanted, "auto") == 0 || strcmp(wanted, EVENT_NAME) == 0)
		return choose_callgrind(event, err);
	if (strcmp(wanted, "instructions") != 0)
		return err_set(err, ERR_USAGE,
			"the metric 'instructions' has no event '%s': expected auto, callgrind or "
			"instructions",
			wanted);
	if (trial_choose_event(wanted, event, err) < 0)
		return err_note(err,
			"without a counter of the machine, `event: callgrind` counts instructions");
	return 0;
}

/* Where callgrind writes, with a percent sign doubled, which means something to it. */
static char *
make_out_option(const char *dir)
{
	struct buf option = {0};

	buf_puts(&option, "--callgrind-out-file=");
	for (const char *c = dir; *c; c++)
		buf_puts(&option, *c == '%' ? "%%" : (char[]){*c, '\0'});
	buf_puts(&option, "/%p");
	char *text = mem_strdup(buf_text(&option));

	buf_release(&option);
	return text;
}

/* The command of the run; its words are borrowed from `run` and the request. */
static void
make_command(struct callgrind_run *run)
{
	const struct capture_request *request = run->request;
	size_t nwords = 0;
	size_t at = NOPTIONS;

	while (request->argv[nwords])
		nwords++;
	run->out_option = make_out_option(run->dir);
	run->argv = mem_zalloc(NOPTIONS + nwords + 4, sizeof(*run->argv));
	for (size_t i = 0; i < NOPTIONS; i++)
		run->argv[i] = options[i];
	if (request->callchain || request->stack_bytes > 0)
		run->argv[at++] = SEPARATE_CALLERS;
	run->argv[at++] = run->out_option;
	run->argv[at++] = "--";
	memcpy(run->argv + at, request->argv, nwords * sizeof(*run->argv));
}

/* The total in the last line, "totals: 1234". -1 if it has none. */
static double
find_total(const struct file_view *view)
{
	static const char key[] = "\ntotals: ";
	const size_t len = sizeof(key) - 1;
	double total = 0;
	size_t at = view->len;

	if (at == 0 || view->data[at - 1] != '\n')
		return -1;
	while (at > 0 && view->data[at - 1] == '\n')
		at--;
	const size_t end = at;

	while (at > 0 && view->data[at - 1] != '\n')
		at--;
	if (at == 0 || end - at + 1 <= len || memcmp(view->data + at - 1, key, len) != 0)
		return -1;
	for (at += len - 1; at < end && view->data[at] >= '0' && view->data[at] <= '9'; at++)
		total = total * 10 + (view->data[at] - '0');
	return total;
}

static int
append(const char *path, struct file_draft *draft, double *total, struct err *err)
{
	struct file_view view;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	double cost = find_total(&view);
	int result = file_put(draft->fd, view.data, view.len, draft->path, err);

	if (result == 0 && cost < 0)
		result = err_set(err, ERR_MEASURE,
			"valgrind left a profile that is not whole: '%s' has no totals", path);
	*total += cost;
	file_view_close(&view);
	return result;
}

int
callgrind_files_join(const char *dir, pid_t first, const char *into, double *total, struct err *err)
{
	struct parts files;
	struct file_draft draft;
	int result = parts_list(&files, dir, first, err);

	*total = 0;
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++)
			result = append(files.paths[i], &draft, total, err);
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	parts_release(&files);
	return result;
}

static int
finish(void *context, const struct child *child, pid_t pid, struct run *counts, struct err *err)
{
	const struct callgrind_run *run = context;
	double total = 0;

	if (callgrind_files_join(run->dir, pid, run->request->perfdata_path, &total, err) < 0)
		return err_note(err, "while gathering what '%s' cost", run->request->argv[0]);
	tally_counted(child, total, run->harness_start_ns, counts);
	return 0;
}

static int
run_program(struct callgrind_run *run, struct capture_result *result, struct err *err)
{
	const struct command command = {
		.request = run->request,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "under callgrind programs are slow",
		.finish = finish,
		.context = run,
	};
	struct child_spec spec = command_spec(&command);

	make_command(run);
	spec.argv = run->argv;
	spec.measured = false; /* what the kernel counts is valgrind's */
	return command_run(&command, &spec, result, err);
}

/* By the hardware counter: its samples give the number of instructions. */
static int
run_counter(const struct capture_request *request, struct capture_result *result, struct err *err)
{
	int status = capture_perf.run(request, result, err);

	result->run.cost_total = (double)result->run.samples * (double)result->run.period /
				 executions_of_run(&result->run);
	return status;
}

static int
callgrind_run(const struct capture_request *request, struct capture_result *result, struct err *err)
{
	struct callgrind_run run = {.request = request, .harness_start_ns = clock_own_cpu_ns()};

	/* A run without a capture need not be slow. */
	if (!request->event.counts_all || !request->perfdata_path)
		return run_counter(request, result, err);
	memset(result, 0, sizeof(*result));
	if (signals_check(err) < 0)
		return -1;
	if (!request->argv)
		return err_set(err, ERR_USAGE,
			"callgrind counts the instructions of programs that it starts, not of "
			"processes that run already");
	run.dir = parts_make(request->perfdata_path, err);
	int status = run.dir ? run_program(&run, result, err) : -1;

	parts_remove(run.dir);
	free(run.out_option);
	free(run.argv);
	return status;
}

static const char *const callgrind_metrics[] = {"instructions", NULL};

const struct capture_backend capture_callgrind = {
	.name = "callgrind",
	.summary = "counts every instruction through valgrind's callgrind",
	.metrics = callgrind_metrics,
	.cost_unit = "instructions",
	.choose = choose,
	.run = callgrind_run,
};

/* Whether instructions can be counted, by trying valgrind as a run would. */
void
callgrind_probe(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};
	bool good = choose_callgrind(&event, &err) == 0;

	(void)context;
	SAY(result->found, "%s", good ? event.reason : "valgrind does not work here");
	probe_conclude(result, good ? PROBE_OK : PROBE_MISSING,
		good ? "`metric: instructions` works: detects changes of 0.1 % even under load"
		     : "`metric: instructions` is not available; CPU time is",
		"install it, with its tool callgrind (apt-get install valgrind)");
}
