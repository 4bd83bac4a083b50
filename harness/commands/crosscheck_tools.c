#include "commands/crosscheck_tools.h"

#include "base/file.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "ingest/ingest.h"
#include "measurement/run_capture.h"
#include "process/process.h"
#include "profile/metric.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The gmon files of at most so many processes are added up. */
#define GMON_FILES_MAX 64

/* Reads the file that a tool wrote. */
static int
read_back(struct profile *profile, const char *path, const char *name, struct err *err)
{
	const struct ingest_options options = {
		.name = name,
		.no_inline = true,
		.no_marks = true,
		.short_names = true,
	};

	return ingest_file(profile, path, &options, err);
}

/*
 * Captures one run by our own backend, without call stacks: functions are compared by self shares.
 */
static int
capture_by(const char *metric, const char *file, struct crosscheck_task *task,
	struct profile *profile, struct err *err)
{
	const struct capture_backend *backend = capture_backend_for(metric);
	struct capture_request request = {
		.argv = task->command,
		.env = task->env,
		.output = CHILD_KEEP,
		.executions = 1,
		.frequency_hz = task->frequency_hz,
		.reader_cpu = -1,
	};
	struct capture_result result;

	if (backend->choose(metric, "auto", &request.event, err) < 0)
		return -1;
	if (event_is_sampled(&request.event))
		memcpy(task->sampled_event, request.event.name, sizeof(task->sampled_event));
	char *path = file_join(task->dir, file);

	request.perfdata_path = path;
	int status = backend->run(&request, &result, err);

	if (status == 0)
		status = read_back(profile, path, file, err);
	if (status == 0)
		run_capture_merge_counts(&profile->runs[0], &result.run);
	free(path);
	return status;
}

static int
measure_sampling(struct crosscheck_task *task, struct profile *profile, struct err *err)
{
	return capture_by("cpu", "perf.data", task, profile, err);
}

static int
measure_callgrind(struct crosscheck_task *task, struct profile *profile, struct err *err)
{
	return capture_by(METRIC_INSTRUCTIONS, "callgrind.out", task, profile, err);
}

static int
need_program(const char *name, const char *package, struct err *err)
{
	char *path = find_program(name, NULL, NULL);

	free(path);
	return path ? 0
		    : err_set(err, ERR_MEASURE, "%s is not installed (apt-get install %s)", name,
			      package);
}

/* Runs a tool whose standard output becomes the file `path`. */
static int
run_to_file(const char *const *argv, const char *const *env, const char *path, struct err *err)
{
	int files[] = {
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
		memfd_create("stderr", MFD_CLOEXEC),
	};
	const struct child_spec spec = {
		.argv = argv,
		.env = env,
		.output = CHILD_TO_FILES,
		.files = {files[0], files[1]},
		.is_tool = true,
	};
	struct child child = {.pid = -1};
	int status;

	if (files[0] < 0 || files[1] < 0)
		status = err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	else
		status = process_run(&child, &spec, argv[0], 0, err);
	if (status == 0 && child_judge(&child, argv[0], err) < 0) {
		char text[LAST_OUTPUT_MAX + 1];
		const ssize_t got = pread(files[1], text, LAST_OUTPUT_MAX, 0);

		text[got > 0 ? got : 0] = '\0';
		text[strcspn(text, "\n")] = '\0';
		status = *text ? err_note(err, "%s", text) : -1;
	}
	child_close_fd(&files[0]);
	child_close_fd(&files[1]);
	return status;
}

/* Puts the words behind the first `n`; returns how many there are then. */
static size_t
add_words(const char **argv, size_t n, const char *const *words)
{
	while (*words)
		argv[n++] = *words++;
	return n;
}

/* Runs the command under perf record, which writes the file `data`. */
static int
record_by_perf(const struct crosscheck_task *task, const char *data, struct err *err)
{
	char *frequency = mem_printf("%.0f", task->frequency_hz);
	/* perf would keep a copy of each program in the user's home. */
	const char *const options[] = {"perf", "record", "--quiet", "--no-buildid-cache", "-o",
		data, "-F", frequency, NULL};
	const char *const event[] = {"-e", task->sampled_event, NULL};
	const char *const end[] = {"--", NULL};
	size_t nwords = 0;

	while (task->command[nwords])
		nwords++;
	const char **argv =
		mem_zalloc(sizeof(options) / sizeof(options[0]) + 4 + nwords, sizeof(*argv));
	size_t n = add_words(argv, 0, options);

	if (task->sampled_event[0])
		n = add_words(argv, n, event);
	n = add_words(argv, n, end);
	add_words(argv, n, task->command);
	const struct child_spec spec = {.argv = argv, .env = task->env, .output = CHILD_KEEP};
	struct child child;
	int status = process_run(&child, &spec, "perf record", 0, err);

	if (status == 0)
		status = child_judge(&child, "perf record", err);
	free(argv);
	free(frequency);
	return status;
}

/* Takes perf's own samples, with perf's own names. */
static int
measure_perf(struct crosscheck_task *task, struct profile *profile, struct err *err)
{
	static const char *const env[] = {
		"LC_ALL=C", "PERF_CONFIG=/dev/null", "DEBUGINFOD_URLS", NULL};
	char *data = file_join(task->dir, "perf.perf.data");
	char *text = file_join(task->dir, "perf.script");
	const char *const script[] = {"perf", "script", "--no-inline", "-F",
		"comm,pid,tid,time,event,ip,sym,dso", "-i", data, NULL};
	int status = need_program("perf", "linux-perf", err);

	if (status == 0)
		status = record_by_perf(task, data, err);
	if (status == 0)
		status = run_to_file(script, env, text, err);
	if (status == 0)
		status = read_back(profile, text, "perf script", err);
	free(text);
	free(data);
	return status;
}

/* Adds the gmon files of the run without a profiler to `argv`; returns how many there are. */
static size_t
find_gmon_files(const char *dir, const char **argv)
{
	DIR *folder = opendir(dir);
	size_t count = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		if (count < GMON_FILES_MAX)
			argv[count] = file_join(dir, entry->d_name);
		count++;
	}
	if (folder)
		closedir(folder);
	return count;
}

static int
read_gmon(const struct crosscheck_task *task, const char **argv, struct profile *profile,
	struct err *err)
{
	static const char *const env[] = {"LC_ALL=C", NULL};
	char *text = file_join(task->dir, "gprof.txt");
	int status = need_program("gprof", "binutils", err);

	if (status == 0)
		status = run_to_file(argv, env, text, err);
	if (status == 0)
		status = read_back(profile, text, "gprof", err);
	free(text);
	return status;
}

/*
 * Reads what the program itself measured in the run without a profiler. Several processes are added
 * up, which gprof refuses if they are not of the same program.
 */
static int
measure_gprof(struct crosscheck_task *task, struct profile *profile, struct err *err)
{
	const char *argv[5 + GMON_FILES_MAX + 1] = {"gprof", "-b", "-p"};
	char *program = find_program(task->command[0], NULL, NULL);
	const size_t count = find_gmon_files(task->gmon_dir, argv + 4);
	int status = -1;

	argv[3] = program;
	if (!program)
		err_set(err, ERR_MEASURE, "'%s' is not found", task->command[0]);
	else if (count == 0)
		err_set(err, ERR_MEASURE,
			"the command wrote no gmon file: compile and link it with -pg");
	else if (count > GMON_FILES_MAX)
		err_set(err, ERR_MEASURE, "%zu processes wrote a gmon file, more than %d", count,
			GMON_FILES_MAX);
	else
		status = read_gmon(task, argv, profile, err);
	for (size_t i = 4; i < 4 + GMON_FILES_MAX && argv[i]; i++)
		free((char *)argv[i]);
	free(program);
	return status;
}

static const struct crosscheck_tool sampling = {
	.name = "profile_run",
	.scope = CROSSCHECK_ALL,
	.measure = measure_sampling,
};

static const struct crosscheck_tool perf = {
	.name = "perf",
	.scope = CROSSCHECK_ALL,
	.measure = measure_perf,
};

static const struct crosscheck_tool callgrind = {
	.name = "callgrind",
	.scope = CROSSCHECK_USER,
	.counts = true,
	.nature = "counts instructions, not time: code that waits for memory has a smaller share "
		  "of them. It sees no kernel, so that time in system calls and page faults is "
		  "not there.",
	.slowness = "20 to 100 times as long",
	.measure = measure_callgrind,
};

static const struct crosscheck_tool gprof = {
	.name = "gprof",
	.scope = CROSSCHECK_PROGRAM,
	.nature = "takes 100 samples a second of the program, without its libraries and the "
		  "processes that it forks, and counting calls takes time itself. It attributes a "
		  "function whose symbol has a dot (f.isra.0) to the symbol ahead of it.",
	.measure = measure_gprof,
};

const struct crosscheck_tool *const crosscheck_tools[] = {
	&sampling,
	&perf,
	&callgrind,
	&gprof,
	NULL,
};

size_t
crosscheck_event_len(const char *event)
{
	const char *modifiers = strrchr(event, ':');

	if (!modifiers || modifiers[1] == '\0' ||
		modifiers[1 + strspn(modifiers + 1, "pPH")] != '\0')
		return strlen(event);
	return (size_t)(modifiers - event);
}
