/* The callgrind backend: first its files, then the processor that it presents, then the runs. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "capture/surroundings.h"
#include "perf_event/trial.h"
#include "process/process.h"
#include "profile/counters.h"
#include "profile/metric.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The files that callgrind leaves, one for each process and part of it, as one file.
 */

/* The start of the last line that is not empty; *end is its end. NULL if it has no newline. */
static const char *
last_line(const struct file_view *view, const char **end)
{
	size_t at = view->len;

	if (at == 0 || view->data[at - 1] != '\n')
		return NULL;
	while (at > 0 && view->data[at - 1] == '\n')
		at--;
	*end = view->data + at;
	while (at > 0 && view->data[at - 1] != '\n')
		at--;
	return view->data + at;
}

/* The sum of the numbers in the last line, "totals: 1234 5 6". -1 if it has none. */
static double
find_total(const struct file_view *view, const struct event_sum *sum)
{
	static const char key[] = "totals: ";
	const char *end = NULL;
	const char *at = last_line(view, &end);
	double total = 0;
	size_t term = 0;

	if (!at || (size_t)(end - at) < sizeof(key) || memcmp(at, key, sizeof(key) - 1) != 0)
		return -1;
	at += sizeof(key) - 1;
	for (size_t place = 0; term < sum->nterms && at < end; place++) {
		double number = 0;

		for (; at < end && *at >= '0' && *at <= '9'; at++)
			number = number * 10 + (*at - '0');
		if (at < end && *at++ != ' ')
			return -1;
		if (sum->terms[term].place == place)
			total += sum->terms[term++].weight * number;
	}
	return total;
}

/* The names in the line "events: NAME ..."; NULL if the file has none. */
static const char *
find_events(const struct file_view *view, size_t *len)
{
	static const char key[] = "events: ";
	const char *const end = view->data + view->len;

	for (const char *at = view->data; at && at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (stop && (size_t)(stop - at) >= sizeof(key) &&
			memcmp(at, key, sizeof(key) - 1) == 0) {
			*len = (size_t)(stop - at) - (sizeof(key) - 1);
			return at + sizeof(key) - 1;
		}
		at = stop ? stop + 1 : NULL;
	}
	return NULL;
}

/* One file that is gathered. */
struct gathering {
	const struct metric *metric;
	const struct surroundings *surroundings;
	struct file_draft *draft;
};

/* Copies text with the names of files as they are outside of the place. */
static int
put_outside(const struct gathering *gathering, const char *at, const char *end, struct err *err)
{
	const size_t len = strlen(FIXED_PLACE "/");
	struct file_draft *draft = gathering->draft;
	struct buf path = {0};
	int result = 0;

	while (result == 0 && at < end) {
		const char *found = memmem(at, (size_t)(end - at), FIXED_PLACE "/", len);
		const char *stop = found ? found : end;

		result = file_put(draft->fd, at, (size_t)(stop - at), draft->path, err);
		at = stop;
		if (!found)
			break;
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		stop = newline ? newline : end;
		buf_clear(&path);
		if (!surroundings_outside(
			    gathering->surroundings, at, (size_t)(stop - at), &path)) {
			stop = at + len;
			buf_put(&path, at, len);
		}
		if (result == 0)
			result = file_put(draft->fd, path.data, path.len, draft->path, err);
		at = stop;
	}
	buf_release(&path);
	return result;
}

/* Copies a file; one whose first event is not the metric states that ahead of its events. */
static int
put(const struct gathering *gathering, const struct file_view *view, const char *names,
	bool states_metric, struct err *err)
{
	struct file_draft *draft = gathering->draft;
	const char *events = names - strlen("events: ");
	struct buf line = {0};

	if (states_metric)
		buf_printf(&line, "desc: %s %s\n", EVENT_SUM_KEY, gathering->metric->name);
	int result = put_outside(gathering, view->data, events, err);

	if (result == 0)
		result = file_put(draft->fd, line.data, line.len, draft->path, err);
	if (result == 0)
		result = put_outside(gathering, events, view->data + view->len, err);
	buf_release(&line);
	return result;
}

static bool
has_text(const struct file_view *view, size_t len, const char *text)
{
	return memmem(view->data, len, text, strlen(text)) != NULL;
}

/* A process that has a loader, whose part is not its own. */
static bool
has_loader(const struct file_view *view)
{
	return has_text(view, view->len, "/ld-linux") || has_text(view, view->len, "/ld64.so") ||
	       has_text(view, view->len, "/ld-musl");
}

/* The loaders that were seen so far. */
struct loaders {
	double cost;
	size_t apart; /* processes whose loader has its own part */
	size_t of;    /* processes that have one */
};

static int
append_file(const struct gathering *gathering, const char *path, double *program,
	struct loaders *loaders, struct err *err)
{
	static const char trigger[] = "desc: Trigger: " CALLGRIND_LOADER_END "\n";
	const struct metric *metric = gathering->metric;
	const bool is_last = strchr(strrchr(path, '/'), '.') == NULL;
	struct file_view view;
	struct event_sum sum = {0};
	size_t len = 0;
	int result = 0;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	const char *names = find_events(&view, &len);
	const bool known = names && event_sum_of_metric(&sum, metric, names, len);
	const double cost = find_total(&view, &sum);
	const bool of_loader = names && has_text(&view, (size_t)(names - view.data), trigger);

	if (!names || cost < 0)
		result = err_set(err, ERR_MEASURE,
			"valgrind left a profile that is not whole: '%s' has no %s", path,
			names ? "totals" : "events");
	else if (!known)
		result = err_set(err, ERR_MEASURE,
			"valgrind left no events of the metric '%s': '%s'", metric->name, path);
	else if (!of_loader)
		result = put(gathering, &view, names, sum.nterms > 1, err);
	*(of_loader ? &loaders->cost : program) += cost;
	loaders->apart += of_loader;
	loaders->of += is_last && has_loader(&view);
	file_view_close(&view);
	return result;
}

int
callgrind_files_join(const char *dir, pid_t first, const struct metric *metric,
	const struct surroundings *surroundings, const char *into, struct callgrind_totals *totals,
	struct err *err)
{
	struct left_files files;
	struct file_draft draft;
	struct loaders loaders = {0};
	const struct gathering gathering = {metric, surroundings, &draft};
	int result = left_files_list(&files, dir, first, err);

	*totals = (struct callgrind_totals){0};
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++)
			result = append_file(
				&gathering, files.paths[i], &totals->program, &loaders, err);
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	totals->loader = loaders.apart < loaders.of ? NAN : loaders.cost;
	left_files_release(&files);
	return result;
}

/*
 * The processor that callgrind presents to programs.
 */

/* A register in the line of this leaf and part (Intel, Software Developer's Manual, CPUID). */
static uint64_t
feature_word(const char *text, const char *line, unsigned place)
{
	const char *at = strstr(text, line);
	uint64_t word = 0;

	if (!at)
		return 0;
	at += strlen(line);
	for (unsigned i = 0; i <= place; i++) {
		char *end;

		word = strtoull(at, &end, 16);
		at = end;
	}
	return word;
}

void
presented_name(const char *text, char name[PRESENTED_SIZE])
{
	enum { EBX = 1, ECX = 2 };
	const uint64_t first = feature_word(text, "cpuid 1 0 ", ECX);
	const uint64_t seventh = feature_word(text, "cpuid 7 0 ", EBX);
	const char *set = strncmp(text, "vendor", strlen("vendor")) != 0 ? "features"
			  : seventh >> 16 & 1                            ? "avx512"
			  : seventh >> 5 & 1                             ? "avx2"
			  : first >> 28 & 1                              ? "avx"
			  : first >> 20 & 1                              ? "sse4.2"
									 : "sse2";
	char hash[SHA256_TEXT_SIZE];

	sha256_text(text, strlen(text), hash);
	snprintf(name, PRESENTED_SIZE, "%s-%.8s", set, hash);
}

/* A file in memory with the program, which children inherit; -1 with errno. */
static int
open_program(void)
{
	const size_t len = cpu_features_program_bytes;
	const int fd = memfd_create("cpu_features", 0);

	if (fd >= 0 && write(fd, cpu_features_program, len) != (ssize_t)len) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
run_features(
	const char *const *simulator, const char *path, struct tool_output *output, struct err *err)
{
	size_t nwords = 0;

	while (simulator[nwords])
		nwords++;
	const char **argv = mem_zalloc(nwords + 2, sizeof(*argv));

	memcpy(argv, simulator, nwords * sizeof(*argv));
	argv[nwords] = path;
	int status = tool_run(output, argv, NULL, NULL, err);

	if (status == 0 && (output->status != 0 || output->out.len == 0)) {
		status = err_set(err, ERR_MEASURE, "'%s' cannot run a program (exit status %d)",
			simulator[0], output->status);
		tool_note_complaint(output, err);
	}
	free(argv);
	return status;
}

int
presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err)
{
	struct tool_output output = {0};
	char path[32];

	name[0] = '\0';
	if (cpu_features_program_bytes == 0)
		return 0;
	const int fd = open_program();

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int status = run_features(simulator, path, &output, err);

	if (status == 0)
		presented_name(buf_text(&output.out), name);
	tool_output_release(&output);
	close(fd);
	return status;
}

/*
 * The callgrind backend: every instruction is counted, by valgrind's callgrind, in place of samples
 * of time; or every miss of a cache that it simulates. The same program on the same input takes the
 * same number, whatever else the machine does.
 */

#define EVENT_NAME "callgrind"

/* With a cache, which takes up to three times as long. */
#define TIMEOUT_FACTOR_SIMULATED 150
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
 * Its log is a file of each process then: it warns of the sizes of the processor's cache, also
 * where they are not used.
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

/* Runs a valgrind that writes nothing, to its end. */
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
	bool placed;
};

static int
try_callgrind(struct valgrind_trial *of, const char *metric, struct err *err)
{
	static const char *const version[] = {"valgrind", "--version", NULL};
	static const char *const trial[] = {"valgrind", "--command-line-only=yes", "--quiet",
		"--tool=callgrind", "--callgrind-out-file=/dev/null", "--", NULL};
	struct last_output output;

	if (try_valgrind(version, &output, err) < 0) {
		if (err->kind == ERR_INTERRUPTED)
			return -1;
		return err_set(err, ERR_MEASURE,
			"the metric '%s' needs valgrind: install it (apt-get install valgrind)",
			metric);
	}
	last_output_text(&output, of->version, sizeof(of->version));
	if (presented_ask(trial, of->presented, err) < 0)
		return err_note(err, "valgrind is here, but its tool callgrind does not work");
	const int refused = fixed_place_try();

	of->placed = refused == 0;
	if (refused != 0)
		log_info("counted runs see this checkout at its own path, whose length is part of "
			 "what is counted: a mount namespace is refused (%s)",
			strerror(refused));
	return 0;
}

/* The event of a simulation is named as its metric, by which a run knows it. */
static int
choose_callgrind(const char *metric, struct capture_event *event, struct err *err)
{
	/* It takes half a second, and is wanted for each workload, metric and side. */
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

/* By the event `sampled_by` of a metric, it is sampled by the counter of the machine. */
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

/* `option` with a file for each process, a percent sign doubled, which means something there. */
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

/* Notes the first line of a log, "==PID== text", that is no warning. */
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

/* Causes for the failure of a run, beside the program. */
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
	struct driven driven;
	const struct command command = {
		.request = run->request,
		.timeout_factor =
			run->metric->simulated ? TIMEOUT_FACTOR_SIMULATED : CAPTURE_COUNTED_TIMEOUT,
		.timeout_is_cpu = true,
		.slowness = "under callgrind programs are slow",
		.finish = finish,
		.context = run,
		.driven = &driven,
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
