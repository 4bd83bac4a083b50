/*
 * The callgrind backend: every instruction is counted, by valgrind's callgrind, in place of samples
 * of time; or every miss of a cache that it simulates. The same program on the same input takes the
 * same number, whatever else the machine does.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/capture_internal.h"
#include "capture/surroundings.h"
#include "profile/counters.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_NAME "callgrind"

/* Simulating a cache takes up to three times as long as counting instructions. */
#define TIMEOUT_FACTOR_SIMULATED 150
/* For trying valgrind on a program that does nothing. */
#define TRIAL_TIMEOUT_S 60

/*
 * callgrind names a function with so many of its callers, which gives its stack. Stacks that are
 * not deeper lose nothing, and a larger number costs them nothing; the number bounds recursion
 * through many functions, which has more stacks with every level. For a compiler's recursion
 * callgrind takes twice the time and memory that it takes without callers.
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
	"--command-line-only=yes", /* without the options of ~/.valgrindrc */
	"--tool=callgrind",
	"--quiet",
	"--vgdb=no",
	"--trace-children=yes",
	"--show-below-main=yes",
	"--dump-instr=no",
	CALLGRIND_LOADER_END,
	/* Functions in stacks by number: shorter, and an apostrophe can only be part of a name. */
	"--compress-strings=yes",
	"--compress-mangled=yes",
	BEFORE_FORK,
	NULL,
};

#define NOPTIONS (sizeof(options) / sizeof(options[0]) - 1)

/*
 * The simulated cache: SIZE,WAYS,LINE. By default callgrind takes the sizes of the processor that
 * it runs on, and the same program would have other costs on other machines.
 */
static const char *const cache_options[] = {
	"--cache-sim=yes",
	"--I1=32768,8,64",
	"--D1=32768,8,64",
	"--LL=8388608,16,64",
};

/*
 * With a simulated cache valgrind writes its log to a file of each process: it warns about the
 * sizes of the processor's cache, though they are not used.
 */
#define LOG_PREFIX "log."
#define LOG_MAX 65536

#define NCACHE_OPTIONS (sizeof(cache_options) / sizeof(cache_options[0]))

/* One run in the making. */
struct callgrind_run {
	const struct capture_request *request;
	const struct metric *metric;
	char *dir;      /* where the files go */
	char *valgrind; /* the program; it is found by our own PATH */
	struct surroundings surroundings;
	char *out_option;  /* --callgrind-out-file */
	char *log_option;  /* --log-file; NULL: standard error */
	const char **argv; /* the whole command */
	uint64_t harness_start_ns;
};

/* "Valgrind-3.19.0", from valgrind's output of its version. */
static void
put_version(const char *output, struct capture_event *event)
{
	const char *at = strstr(output, "valgrind-");
	int len = at ? (int)strcspn(at, " \n") : 0;

	snprintf(event->reason, sizeof(event->reason), "%.*s %s", len > 0 && len < 64 ? len : 8,
		len > 0 ? at : "valgrind",
		strcmp(event->name, EVENT_NAME) == 0 ? "counts every instruction"
						     : "simulates a cache");
}

/* Runs valgrind to its end; its output is not shown. */
static int
try_valgrind(const char *const *argv, struct last_output *output, struct err *err)
{
	const struct child_spec spec = {.argv = argv, .output = CHILD_MERGE};
	struct child child;

	if (process_run(&child, &spec, "valgrind", TRIAL_TIMEOUT_S, err) < 0)
		return -1;
	*output = child.last_output;
	return child_judge(&child, "valgrind", err);
}

/* The result of trying a valgrind. */
struct valgrind_trial {
	char *program; /* NULL: none was tried, or it does not work */
	char version[LAST_OUTPUT_MAX + 1];
	char presented[PRESENTED_SIZE];
	bool placed; /* programs can see their folder at a fixed path (process/fixed_place.h) */
};

static int
try_callgrind(struct valgrind_trial *trial, const char *metric, struct err *err)
{
	static const char *const version[] = {"valgrind", "--version", NULL};
	static const char *const simulator[] = {"valgrind", "--command-line-only=yes", "--quiet",
		"--tool=callgrind", "--callgrind-out-file=/dev/null", "--", NULL};
	struct last_output output;

	if (try_valgrind(version, &output, err) < 0) {
		if (err->kind == ERR_INTERRUPTED)
			return -1;
		return err_set(err, ERR_MEASURE,
			"the metric '%s' needs valgrind: install it (apt-get install valgrind)",
			metric);
	}
	last_output_text(&output, trial->version, sizeof(trial->version));
	if (presented_ask(simulator, trial->presented, err) < 0)
		return err_note(err, "valgrind is here, but its tool callgrind does not work");
	const int refused = fixed_place_try();

	trial->placed = refused == 0;
	if (refused != 0)
		log_info("counted runs see this checkout at its own path, whose length is part of "
			 "what is counted: a mount namespace is refused (%s)",
			strerror(refused));
	return 0;
}

/* The event of a simulated cache has its metric's name, by which callgrind_run() finds the metric.
 */
static int
choose_callgrind(const char *metric, struct capture_event *event, struct err *err)
{
	/* A trial takes half a second, and is needed for each workload, metric and side. */
	static struct valgrind_trial trial;
	char *program = find_program("valgrind", NULL, NULL);

	*event = (struct capture_event){
		.rate_hz = 1e9, .counts_all = true, .own_stacks = true, .own_format = true};
	snprintf(event->name, sizeof(event->name), "%s",
		metric_find(metric)->simulated ? metric : EVENT_NAME);
	if (!program || !trial.program || strcmp(program, trial.program) != 0) {
		free(trial.program);
		trial.program = NULL;
		if (try_callgrind(&trial, metric, err) < 0) {
			free(program);
			return -1;
		}
		trial.program = program;
		program = NULL;
	}
	free(program);
	put_version(trial.version, event);
	snprintf(event->presented, sizeof(event->presented), "%s", trial.presented);
	event->placed = trial.placed;
	return 0;
}

/*
 * Chooses callgrind, or the machine's counter where the user asks for the metric's event
 * `sampled_by`.
 */
static int
choose_counting(
	const char *metric, const char *wanted, struct capture_event *event, struct err *err)
{
	const struct metric *known = metric_find(metric);
	const char *name = known->simulated ? metric : EVENT_NAME;

	if (strcmp(wanted, "auto") == 0 || strcmp(wanted, name) == 0)
		return choose_callgrind(metric, event, err);
	if (!known->sampled_by)
		return err_set(err, ERR_USAGE,
			"the metric '%s' has no event '%s': expected auto or %s", metric, wanted,
			metric);
	if (strcmp(wanted, known->sampled_by) != 0)
		return err_set(err, ERR_USAGE,
			"the metric '%s' has no event '%s': expected auto, %s or %s", metric,
			wanted, name, known->sampled_by);
	if (trial_choose_event(wanted, event, err) < 0)
		return err_note(err,
			"without a counter of the machine, `event: callgrind` counts instructions");
	return 0;
}

/*
 * An option that names a file for each process: DIR/PREFIX%p. A percent sign in the folder's name
 * is doubled, since valgrind replaces %p and the like.
 */
static char *
make_file_option(const char *name, const char *dir, const char *prefix)
{
	struct buf option = {0};

	buf_puts(&option, name);
	for (const char *c = dir; *c; c++)
		buf_puts(&option, *c == '%' ? "%%" : (char[]){*c, '\0'});
	buf_printf(&option, "/%s%%p", prefix);
	char *text = mem_strdup(buf_text(&option));

	buf_release(&option);
	return text;
}

/* The command of the run; its words are borrowed from `run`. */
static void
make_command(struct callgrind_run *run)
{
	const struct capture_request *request = run->request;
	const char *const *words = run->surroundings.argv;
	size_t nwords = 0;
	size_t at = NOPTIONS;

	while (words[nwords])
		nwords++;
	run->out_option = make_file_option("--callgrind-out-file=", run->dir, "");
	run->argv = mem_zalloc(NOPTIONS + NCACHE_OPTIONS + nwords + 5, sizeof(*run->argv));
	for (size_t i = 0; i < NOPTIONS; i++)
		run->argv[i] = options[i];
	if (run->valgrind)
		run->argv[0] = run->valgrind;
	if (request->callchain || request->stack_bytes > 0)
		run->argv[at++] = SEPARATE_CALLERS;
	if (run->metric->simulated) {
		for (size_t i = 0; i < NCACHE_OPTIONS; i++)
			run->argv[at++] = cache_options[i];
		run->log_option = make_file_option("--log-file=", run->dir, LOG_PREFIX);
		run->argv[at++] = run->log_option;
	}
	run->argv[at++] = run->out_option;
	run->argv[at++] = "--";
	memcpy(run->argv + at, words, nwords * sizeof(*run->argv));
}

static int
finish(void *context, const struct child *child, pid_t pid, struct run *counts, struct err *err)
{
	const struct callgrind_run *run = context;
	struct callgrind_totals totals;

	if (callgrind_files_join(run->dir, pid, run->metric, &run->surroundings,
		    run->request->perfdata_path, &totals, err) < 0)
		return err_note(err, "while reading the costs of '%s'", run->request->argv[0]);
	tally_counted(child, totals.program, run->harness_start_ns, counts);
	counter_set(counts, COUNTER_LOADER, totals.loader);
	return 0;
}

/* Notes the first line of a log that is not a warning, without its "==PID==". */
static bool
note_log(const char *path, struct err *err)
{
	struct buf text = {0};
	struct err later = {.kind = ERR_NONE};
	bool noted = false;
	char *rest = NULL;

	if (file_read(path, &text, LOG_MAX, &later) < 0 || text.len == 0) {
		buf_release(&text);
		return false;
	}
	for (char *line = strtok_r(text.data, "\n", &rest); line && !noted;
		line = strtok_r(NULL, "\n", &rest)) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
		noted = *line && strncmp(line, "warning:", strlen("warning:")) != 0;
		if (noted)
			err_note(err, "valgrind: %s", line);
	}
	buf_release(&text);
	return noted;
}

static void
note_logs(const char *dir, struct err *err)
{
	DIR *folder = opendir(dir);
	bool noted = false;

	for (struct dirent *entry; folder && !noted && (entry = readdir(folder));) {
		char *path = file_join(dir, entry->d_name);

		noted = strncmp(entry->d_name, LOG_PREFIX, strlen(LOG_PREFIX)) == 0 &&
			note_log(path, err);
		free(path);
	}
	if (folder)
		closedir(folder);
}

/* Whether valgrind ended with an internal error: these are its last words then. */
static bool
failed_itself(const struct capture_result *result)
{
	return strstr(result->last_output, "report this bug to: www.valgrind.org") != NULL;
}

/* Adds what may have caused the failure of a run, other than the program itself. */
static void
note_cause(struct callgrind_run *run, const struct capture_result *result, struct err *err)
{
	if (failed_itself(result))
		err_note(err,
			"valgrind failed with an internal error, which is not the program's: a newer "
			"valgrind may work, and 'metric: cpu' does without it");
	else
		surroundings_note_missing(&run->surroundings, err);
}

static int
run_program(struct callgrind_run *run, struct capture_result *result, struct err *err)
{
	struct companions companions;
	const struct command command = {
		.request = run->request,
		.timeout_factor =
			run->metric->simulated ? TIMEOUT_FACTOR_SIMULATED : CAPTURE_COUNTED_TIMEOUT,
		.timeout_is_cpu = true,
		.slowness = "under callgrind programs are slow",
		.finish = finish,
		.context = run,
		.companions = &companions,
	};
	struct child_spec spec = command_spec(&command);

	surroundings_make(&run->surroundings, run->request->argv, run->request->env,
		run->request->cwd, run->request->event.placed);
	run->valgrind = find_program("valgrind", NULL, NULL);
	make_command(run);
	spec.argv = run->argv;
	spec.env = run->surroundings.env;
	spec.only_env = true;
	spec.cwd = run->surroundings.cwd;
	if (run->surroundings.place.folder)
		spec.place = &run->surroundings.place;
	spec.measured = false; /* what the kernel counts is valgrind's */
	/*
	 * A program built with -pg restores at its end how SIGPROF was handled at its start;
	 * valgrind may deliver the profiling timer's last signal after that, which by default ends
	 * the program.
	 */
	spec.ignores_sigprof = true;
	const int status = command_run(&command, &spec, result, err);

	if (status < 0 && run->log_option)
		note_logs(run->dir, err);
	if (status < 0 && err->kind == ERR_MEASURE)
		note_cause(run, result, err);
	return status;
}

/* Samples the hardware counter: the samples give the number of instructions. */
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
	const struct metric *simulated = metric_find(request->event.name);
	struct callgrind_run run = {
		.request = request,
		.metric = simulated ? simulated : metric_find(METRIC_INSTRUCTIONS),
		.harness_start_ns = clock_own_cpu_ns(),
	};

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
	run.dir = left_files_make(request->perfdata_path, err);
	int status = run.dir ? run_program(&run, result, err) : -1;

	left_files_remove(run.dir);
	surroundings_release(&run.surroundings);
	free(run.valgrind);
	free(run.log_option);
	free(run.out_option);
	free(run.argv);
	return status;
}

static const char *const callgrind_metrics[] = {
	METRIC_INSTRUCTIONS, "l1_misses", "ll_misses", "estimated_cycles", NULL};

const struct capture_backend capture_callgrind = {
	.name = "callgrind",
	.summary = "counts every instruction, or misses of a simulated cache, through valgrind's "
		   "callgrind",
	.metrics = callgrind_metrics,
	.choose = choose_counting,
	.run = callgrind_run,
};

/* Whether instructions can be counted, by trying valgrind as a run would. */
void
callgrind_probe(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};
	bool good = choose_callgrind("instructions", &event, &err) == 0;

	(void)context;
	SAY(result->found, "%s", good ? event.reason : "valgrind does not work here");
	probe_conclude(result, good ? PROBE_OK : PROBE_MISSING,
		good ? "`metric: instructions` works: detects changes of 0.1 % even under load"
		     : "`metric: instructions` is not available; CPU time is",
		"install it, with its tool callgrind (apt-get install valgrind)");
}
