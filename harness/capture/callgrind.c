/*
 * The callgrind backend: every instruction is counted, by valgrind's callgrind, in place of samples
 * of time. The same program on the same input takes the same number, whatever else the machine
 * does.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "perf_event/trial.h"
#include "process/process.h"
#include "process/signals.h"
#include "profile/executions.h"

#include <dirent.h>
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

/* The command of the run; its words are borrowed from `run` and the request. */
static void
make_command(struct callgrind_run *run)
{
	const struct capture_request *request = run->request;
	size_t nwords = 0;
	size_t at = NOPTIONS;

	while (request->argv[nwords])
		nwords++;
	run->argv = mem_zalloc(NOPTIONS + nwords + 4, sizeof(*run->argv));
	for (size_t i = 0; i < NOPTIONS; i++)
		run->argv[i] = options[i];
	if (request->callchain || request->stack_bytes > 0)
		run->argv[at++] = SEPARATE_CALLERS;
	run->argv[at++] = run->out_option;
	run->argv[at++] = "--";
	memcpy(run->argv + at, request->argv, nwords * sizeof(*run->argv));
}

/* A folder for the files, beside where the profile goes; the program may have another one. */
static int
make_folder(struct callgrind_run *run, struct err *err)
{
	char *wanted = mem_printf("%s.parts", run->request->perfdata_path);
	int result = -1;

	if (file_remove_tree(wanted, err) == 0 && file_make_dirs(wanted, err) == 0) {
		run->dir = realpath(wanted, NULL);
		if (run->dir)
			result = 0;
		else
			err_set(err, ERR_SYSTEM, "%s: cannot be found", wanted);
	}
	free(wanted);
	if (result < 0)
		return -1;
	struct buf option = {0};

	buf_puts(&option, "--callgrind-out-file=");
	for (const char *c = run->dir; *c; c++)
		buf_puts(&option, *c == '%' ? "%%" : (char[]){*c, '\0'});
	buf_puts(&option, "/%p");
	run->out_option = mem_strdup(buf_text(&option));
	buf_release(&option);
	return 0;
}

struct files {
	char **names;
	size_t count;
	size_t capacity;
	pid_t first;
};

/* Of "PID" and "PID.PART". */
static int
compare_names(const void *a, const void *b, void *context)
{
	const struct files *files = context;
	const char *x = *(char *const *)a;
	const char *y = *(char *const *)b;
	bool x_first = strtol(x, NULL, 10) == files->first;
	bool y_first = strtol(y, NULL, 10) == files->first;

	return x_first != y_first ? (x_first ? -1 : 1) : strcmp(x, y);
}

static int
list(const char *dir, struct files *files, struct err *err)
{
	struct dirent *entry;
	DIR *folder = opendir(dir);

	if (!folder)
		return err_set_errno(err, ERR_SYSTEM, errno, "%s", dir);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		files->names = mem_grow(
			files->names, &files->capacity, files->count + 1, sizeof(*files->names));
		files->names[files->count++] = mem_strdup(entry->d_name);
	}
	closedir(folder);
	if (files->count > 0)
		qsort_r(files->names, files->count, sizeof(*files->names), compare_names, files);
	return 0;
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
	struct files files = {.first = first};
	struct file_draft draft;
	int result = list(dir, &files, err);

	*total = 0;
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++) {
			char *path = file_join(dir, files.names[i]);

			result = append(path, &draft, total, err);
			free(path);
		}
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	for (size_t i = 0; i < files.count; i++)
		free(files.names[i]);
	free(files.names);
	return result;
}

static int
finish(struct callgrind_run *run, const struct child *child, pid_t pid, struct run *counts,
	struct err *err)
{
	double total = 0;

	if (callgrind_files_join(run->dir, pid, run->request->perfdata_path, &total, err) < 0)
		return err_note(err, "while gathering what '%s' cost", run->request->argv[0]);
	counts->measured = true;
	counts->executions = 1;
	counts->cost_total = total;
	counts->samples = (uint64_t)total;
	counts->period = 1;
	counts->cpu_ns = tally_usage_ns(&child->usage);
	counts->context_switches = (uint64_t)(child->usage.ru_nvcsw + child->usage.ru_nivcsw);
	counts->harness_cpu_ns = clock_own_cpu_ns() - run->harness_start_ns;
	return 0;
}

static int
run_program(struct callgrind_run *run, struct capture_result *result, struct err *err)
{
	const struct command command = {
		.request = run->request,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "under callgrind programs are slow",
	};
	struct child_spec spec = command_spec(&command);
	struct child child;
	enum watch_end end = WATCH_ENDED;

	spec.argv = run->argv;
	spec.measured = false; /* what the kernel counts is valgrind's */
	if (child_start(&child, &spec, err) < 0)
		return -1;
	const pid_t pid = child.pid;
	const uint64_t start_ns = clock_ns();
	struct watch watch = {
		.child = &child, .deadline_ns = command_deadline_ns(&command, start_ns)};
	int status = child_go(&child, &spec, err);

	if (status == 0)
		status = watch_wait(&watch, &end, err);
	command_end(&command, &child, end, start_ns, result);
	if (status < 0)
		return -1;
	if (command_judge(&command, &child, end, err) == 0)
		return finish(run, &child, pid, &result->run, err);
	struct err later = {.kind = ERR_NONE}; /* the program's failure is the one reported */

	if (run->request->keep_failed && end != WATCH_TIME_OVER)
		result->kept = finish(run, &child, pid, &result->run, &later) == 0;
	return -1;
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
	struct err later = {.kind = ERR_NONE};

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
	int status = make_folder(&run, err);

	if (status == 0) {
		make_command(&run);
		status = run_program(&run, result, err);
	}
	if (run.dir && file_remove_tree(run.dir, &later) < 0)
		log_debug("%s", later.text);
	free(run.dir);
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
