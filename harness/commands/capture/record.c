#include "capture/record.h"

#include "analysis/analysis.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "builds/program.h"
#include "capture/backend.h"
#include "flamegraph/flamegraph.h"
#include "ingest/ingest.h"
#include "ingest/stack_survey.h"
#include "machine/machine.h"
#include "measurement/measurement.h"
#include "profile/folded.h"
#include "profile/metric.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER_NAME_MAX 60

/*
 * A capture in the making: what is captured is found, then how is planned, then it is captured and
 * written.
 */
struct recording {
	const struct record_options *options;
	struct workload workload; /* valid if is_workload */
	bool is_workload;
	const char *shell_argv[4];
	const char *const *argv; /* NULL: nothing is run */
	char *output_dir;
	bool is_new; /* the folder was made for this */
	const struct capture_backend *backend;
	const char *metric;
	struct capture_event event;
	struct operation operation; /* if options->operation */
	struct capture_phases phases;
	bool has_phases;
	struct cpu_plan cpus;
	cpu_set_t all_of; /* if options->all_of */
	struct stack_plan stacks;
	char *perfdata_path;
	char *capture_path; /* the same, or the file that is condensed to it */
	struct capture_result captured;
	struct profile profile;
	int64_t started;
	char *title; /* describes the capture in texts and pictures */
};

/* A workload is named by its file or by its bare name; everything else is a command: NULL. */
static char *
workload_path(const struct config *config, const char *name)
{
	size_t len = strlen(name);
	char *path;

	if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
		path = mem_strdup(name);
	else
		path = mem_printf("%s/%s.yaml", config->workloads_dir, name);
	if (strpbrk(name, " \t;&|") == NULL && file_exists(path))
		return path;
	free(path);
	return NULL;
}

bool
record_is_workload(const struct config *config, const char *name)
{
	char *path = workload_path(config, name);

	free(path);
	return path != NULL;
}

/* The workload or command of the options. */
static int
record_find_workload(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	const char *name = options->workload;
	char *path = name ? workload_path(options->config, name) : NULL;

	recording->argv = options->command;
	if (path) {
		int result = workload_read(&recording->workload, path, options->config, err);

		recording->is_workload = result == 0;
		free(path);
		return result;
	}
	if (name) {
		recording->shell_argv[0] = "/bin/sh";
		recording->shell_argv[1] = "-c";
		recording->shell_argv[2] = name;
		recording->argv = recording->shell_argv;
	}
	return 0;
}

/* "capture-xz" for "/usr/bin/xz -9", with only characters that suit a folder's name. */
static void
put_folder_name(const struct recording *recording, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.-";
	const struct record_options *options = recording->options;
	const char *name = options->command ? options->command[0] : options->workload;

	buf_printf(out, "%scapture-", options->beside ? options->beside : "");
	if (recording->is_workload) {
		buf_puts(out, recording->workload.name);
	} else if (name) {
		char *word = mem_printf("%.*s", (int)strcspn(name, " \t"), name);
		const char *program = file_basename(word);
		size_t len = strspn(program, plain);

		buf_put(out, program, len < FOLDER_NAME_MAX ? len : FOLDER_NAME_MAX);
		buf_puts(out, len > 0 ? "" : "command");
		free(word);
	} else if (options->attach_pid > 0) {
		buf_printf(out, "%d", (int)options->attach_pid);
	} else {
		buf_puts(out, "cpus");
	}
}

/* The folder of the options, or else a new one. */
static int
record_make_folder(struct recording *recording, struct err *err)
{
	struct buf path = {0};

	if (recording->options->output_dir) {
		recording->output_dir = mem_strdup(recording->options->output_dir);
		return file_make_dirs(recording->output_dir, err);
	}
	put_folder_name(recording, &path);
	size_t len = path.len;
	int result = mkdir(buf_text(&path), 0777);

	for (unsigned n = 2; result < 0 && errno == EEXIST; n++) {
		path.len = len;
		buf_printf(&path, "-%u", n);
		result = mkdir(buf_text(&path), 0777);
	}
	if (result < 0) {
		err_set_errno(
			err, ERR_SYSTEM, errno, "cannot make the folder '%s'", buf_text(&path));
		err_note(err, "choose another folder with '--output DIR'");
	}
	recording->is_new = result == 0;
	recording->output_dir = mem_strdup(buf_text(&path));
	buf_release(&path);
	return result;
}

/* Taken before the capture: the process may be gone after it. */
static char *
name_process(pid_t pid)
{
	char name[64];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	sysfs_read("", path, name, sizeof(name));
	return *name ? mem_printf("process %d (%s)", (int)pid, name)
		     : mem_printf("process %d", (int)pid);
}

/* A title of what is captured; free() it. */
static char *
record_title(const struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct buf words = {0};

	if (options->workload)
		return mem_strdup(
			recording->is_workload ? recording->workload.name : options->workload);
	if (options->attach_pid > 0)
		return name_process(options->attach_pid);
	if (!options->command)
		return mem_printf("all processes on CPUs %s", options->all_of);
	for (size_t i = 0; options->command[i]; i++)
		buf_printf(&words, "%s%s", i > 0 ? " " : "", options->command[i]);
	return words.data;
}

/* Up to this many samples per second the largest stack copies cost little; above it, these. */
#define FULL_COPIES_HZ 1000
#define STACK_BYTES_FAST 16384

/* There is only one run, so it is captured in the most complete way. */
static void
plan_stacks(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const struct capture_policy *policy =
		recording->is_workload ? &recording->workload.capture : &options->config->capture;
	const char *callgraph = options->callgraph ? options->callgraph : policy->callgraph;
	uint32_t bytes = options->stack_bytes ? options->stack_bytes : policy->stack_bytes;

	stack_plan_init(&recording->stacks, callgraph, bytes, NULL);
	if (event_is_traced(&recording->event))
		stack_plan_settle(&recording->stacks);
	uint32_t *copied = &recording->stacks.stack_bytes;

	if (bytes > 0)
		*copied = *copied < bytes ? *copied : bytes;
	else if (recording->stacks.to_be_tried && options->frequency_hz > FULL_COPIES_HZ)
		*copied = STACK_BYTES_FAST;
}

static int
find_cpus(struct recording *recording, struct err *err)
{
	const char *list = recording->options->all_of;

	if (!list || cpu_list_parse_all(list, &recording->all_of) == 0)
		return 0;
	return err_set(err, ERR_USAGE,
		"'--cpus %s': expected \"all\" or a list of CPUs such as \"0,2-3\"", list);
}

/* Whether unwound stacks replace the stack copies. */
static bool
record_condenses(const struct recording *recording)
{
	return recording->stacks.stack_bytes > 0 && !recording->options->keep_raw &&
	       !recording->event.own_stacks;
}

/* For costs that are not times the whole program's is known only. */
static int
check_thread(const struct recording *recording, struct err *err)
{
	const struct metric *metric = metric_find(recording->metric);

	if (!recording->options->thread || (metric && metric->timed))
		return 0;
	return err_set(err, ERR_USAGE,
		"'--thread' is for the metrics offcpu, wall and locks; of another, 'analyze --comm "
		"NAME' reads the samples of one thread");
}

/* The program whose marks are looked for. */
static struct operation_program
marked_program(const struct recording *recording)
{
	return (struct operation_program){
		.argv = recording->is_workload ? recording->workload.run : recording->argv,
		.env = recording->is_workload ? recording->workload.env : NULL,
		.cwd = recording->is_workload ? recording->workload.cwd : NULL,
		.pid = recording->options->attach_pid,
	};
}

/* Samples, and the times of the same clock, are cut by phases; nothing that is counted is. */
static int
find_phases(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	const struct operation_program program = marked_program(recording);
	const char *phases = options->phases          ? options->phases
			     : recording->is_workload ? recording->workload.capture.phases
						      : "none";

	if (strcmp(phases, "none") == 0)
		return 0;
	if (recording->event.counts_all || recording->event.own_format) {
		if (!options->phases)
			return 0;
		return err_set(err, ERR_USAGE,
			"'--phases' is for the metrics cpu, wall, offcpu and locks, not '%s'",
			recording->metric);
	}
	if (!recording->argv && strcmp(phases, "pipe") == 0)
		return err_set(err, ERR_USAGE,
			"'--phases pipe' needs a command, which receives the path of the pipe");
	recording->has_phases = true;
	return capture_phases_find(&recording->phases, phases, "phases", &program, err);
}

/* How long operations take is found from times on and off the CPU. */
static int
find_operation(struct recording *recording, struct err *err)
{
	const struct metric *metric = metric_find(recording->metric);
	const struct operation_program program = marked_program(recording);

	if (!metric || !metric->timed)
		return err_set(err, ERR_USAGE,
			"'--operation' is for the metrics wall, offcpu and locks, not '%s'",
			recording->metric);
	if (operation_find(&recording->operation, recording->options->operation, &program, err) ==
		0)
		return 0;
	return program.argv == recording->shell_argv
		       ? err_note(err,
				 "a shell starts '%s': with '-- COMMAND' its own functions "
				 "are marked",
				 recording->options->workload)
		       : -1;
}

static int
find_backend(struct recording *recording, struct err *err)
{
	recording->metric = recording->options->metric;
	if (!recording->metric && recording->options->operation)
		recording->metric = "wall";
	if (!recording->metric)
		recording->metric =
			recording->is_workload ? recording->workload.capture.metric : "cpu";
	recording->backend = capture_backend_for(recording->metric);
	if (recording->backend && check_thread(recording, err) < 0)
		return -1;
	if (recording->backend && recording->options->skip_s > 0 &&
		metric_find(recording->metric)->counted)
		return err_set(err, ERR_USAGE,
			"'--skip' needs a metric that is sampled; '%s' is counted from the "
			"program's start",
			recording->metric);
	if (recording->backend)
		return recording->options->operation ? find_operation(recording, err) : 0;
	return err_set(
		err, ERR_USAGE, "no capture backend measures the metric '%s'", recording->metric);
}

/* Chooses backend, event, CPUs, phases, operations and the way of taking stacks. */
static int
record_plan(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;

	if (find_backend(recording, err) < 0 ||
		recording->backend->choose(
			recording->metric, options->event, &recording->event, err) < 0 ||
		cpu_plan_make(options->pin, &recording->cpus, err) < 0 ||
		find_cpus(recording, err) < 0 || find_phases(recording, err) < 0)
		return -1;
	plan_stacks(recording);
	return 0;
}

#define UNFOLDED_NAME "unfolded.data"

static int
build(struct recording *recording, struct err *err)
{
	const struct workload *w = &recording->workload;

	if (!recording->is_workload)
		return 0;
	return program_build(w, NULL, err) < 0 || program_set_up(w, 0, err) < 0 ? -1 : 0;
}

static double
skip_of(const struct recording *recording)
{
	if (recording->options->skip_s > 0 || !recording->is_workload)
		return recording->options->skip_s;
	return recording->workload.capture.skip_s;
}

/* A command may have side effects: only a workload is known to be repeatable. */
static unsigned
wanted_executions(const struct recording *recording)
{
	const struct record_options *options = recording->options;

	if (event_is_traced(&recording->event) || options->duration_s > 0 || skip_of(recording) > 0)
		return 1;
	if (options->repeats)
		return options->repeat;
	return recording->is_workload ? recording->workload.capture.repeat : 1;
}

/* Captures again, with more executions, if the run turns out to be too short. */
static int
run_repeatedly(struct recording *recording, struct capture_request *request, struct err *err)
{
	struct repeat_plan plan;
	int status;

	repeat_plan_init(&plan, wanted_executions(recording), 0);
	const struct run *run = &recording->captured.run;

	do {
		request->executions = plan.executions;
		status = recording->backend->run(request, &recording->captured, err);
		if (status == 0)
			repeat_plan_decide(
				&plan, (double)run->cpu_ns * 1e-9, (double)run->wall_ns * 1e-9);
	} while (status == 0 && plan.to_be_tried);
	return status;
}

/*
 * That a counted run is of the code that another run has. A command is not run for that, since it
 * may have side effects.
 */
static int
check_counted(
	const struct recording *recording, const struct capture_request *request, struct err *err)
{
	if (!recording->event.presented[0] || !request->argv)
		return 0;
	if (recording->is_workload)
		return capture_check_counted_files(request, NULL, err);
	capture_warn_of_dropped(request);
	return 0;
}

static int
capture(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;

	if (record_plan(recording, err) < 0)
		return -1;
	if (recording->event.own_format) {
		free(recording->perfdata_path);
		recording->perfdata_path = file_join(recording->output_dir, "callgrind.out");
	}
	/*
	 * A capture with shared stacks is readable by us only: if we were killed, perf would find
	 * no sample in it.
	 */
	recording->capture_path = record_condenses(recording)
					  ? file_join(recording->output_dir, UNFOLDED_NAME)
					  : mem_strdup(recording->perfdata_path);
	struct capture_request request = {
		.argv = recording->argv,
		.event = recording->event,
		.frequency_hz = options->frequency_hz,
		.output = CHILD_INHERIT,
		.attach_pid = options->attach_pid,
		.operation = options->operation ? &recording->operation : NULL,
		.phases = recording->has_phases ? &recording->phases : NULL,
		.pin = recording->cpus.pinned ? &recording->cpus.program : NULL,
		.reader_cpu = recording->cpus.reader,
		.duration_s = options->duration_s,
		.perfdata_path = recording->capture_path,
		.keep_failed = true,
		.share_stacks = record_condenses(recording),
		.all_of = options->all_of ? &recording->all_of : NULL,
	};

	if (recording->is_workload)
		measure_fill_request(&recording->workload, &request);
	request.skip_s = skip_of(recording);
	stack_plan_fill(&recording->stacks, &request);
	recording->title = record_title(recording);
	if (!event_is_sampled(&recording->event))
		log_info("capturing with %s (%s)", recording->event.name, recording->event.reason);
	else
		log_info("capturing at %g Hz with %s (%s)", options->frequency_hz,
			recording->event.name, recording->event.reason);
	recording->started = (int64_t)time(NULL);
	held_files_remove_copies(recording->perfdata_path);
	if (check_counted(recording, &request, err) < 0)
		return -1;
	return run_repeatedly(recording, &request, err);
}

/* Reads the capture; if it is condensed, this writes perf.data. */
static int
read_capture(struct recording *recording, struct ingest_options *options, struct err *err)
{
	const char *path = recording->capture_path;

	options->name = recording->perfdata_path;
	if (!record_condenses(recording))
		return ingest_file(&recording->profile, path, options, err);
	options->condensed = recording->perfdata_path;
	int result = ingest_file(&recording->profile, path, options, err);

	if (result == 0 || recording->captured.run.samples == 0)
		unlink(path);
	else
		err_note(err,
			"the capture is kept in '%s': try 'profile_run convert --to perf.data'",
			path);
	return result;
}

static const char *
wanted_thread(const struct recording *recording)
{
	if (recording->options->thread)
		return recording->options->thread;
	/* Whichever thread performs them. */
	if (recording->options->operation)
		return "all";
	return recording->is_workload ? recording->workload.capture.thread : "auto";
}

static int
fold(struct recording *recording, struct err *err)
{
	struct profile *profile = &recording->profile;
	struct stack_survey survey = {0};
	struct buf why = {0};
	bool copies = recording->stacks.stack_bytes > 0 && !recording->event.own_stacks;
	struct ingest_options options = {
		.survey = copies ? &survey : NULL,
		.only_operations = recording->options->operation != NULL,
		.slower_than_ns = recording->options->slower_than_ns,
		.may_be_empty = recording->options->operation != NULL,
	};

	measure_select(wanted_thread(recording), recording->metric, &options);
	if (recording->has_phases)
		measure_set_labels(&options);
	int result = read_capture(recording, &options, err);

	if (result == 0 && copies) {
		stack_survey_explain(&survey, &why);
		profile->callgraph_why = strtab_intern(&profile->strings, buf_text(&why), why.len);
	}
	buf_release(&why);
	stack_survey_release(&survey);
	if (result < 0)
		return -1;
	measure_merge(&profile->runs[0], &recording->captured.run);
	profile->stack_bytes = copies ? recording->stacks.stack_bytes : 0;
	profile->started = recording->started;
	profile->duration_s = (double)recording->captured.run.wall_ns * 1e-9;
	if (event_is_sampled(&recording->event))
		profile->frequency_hz = recording->options->frequency_hz;
	profile->cost_unit = strtab_intern_str(&profile->strings, metric_unit(recording->metric));
	profile->workload = strtab_intern_str(&profile->strings, recording->title);
	profile_sort(profile);
	return 0;
}

static int
write_named(const char *dir, const char *name, const struct buf *bytes, struct err *err)
{
	char *path = file_join(dir, name);
	int result = file_write(path, buf_text(bytes), bytes->len, err);

	free(path);
	return result;
}

static int
write_files(const struct recording *recording, struct buf *text, struct err *err)
{
	const char *dir = recording->output_dir;
	struct analysis_options analysis = {.packages = PACKAGE_LISTS};
	struct flamegraph_options drawing = {0};
	struct buf folded = {0};
	struct buf svg = {0};

	folded_write(&recording->profile, FOLDED_FILE, &folded);
	flamegraph_write(&recording->profile, &drawing, &svg);
	analysis_write(&recording->profile, &analysis, text);
	int result = write_named(dir, "folded.txt", &folded, err) < 0 ||
				     write_named(dir, "flamegraph.svg", &svg, err) < 0 ||
				     write_named(dir, "report.txt", text, err) < 0
			     ? -1
			     : 0;

	buf_release(&folded);
	buf_release(&svg);
	return result;
}

/* The profile of a program that failed may show the reason. */
static void
keep_failed(struct recording *recording, struct err *err)
{
	struct err later = {.kind = ERR_NONE};
	struct buf text = {0};

	if (!recording->captured.kept)
		return;
	if (fold(recording, &later) == 0 && write_files(recording, &text, &later) == 0)
		err_note(err, "the samples up to then are in '%s'", recording->output_dir);
	else if (recording->captured.run.samples > 0)
		err_note(err, "the samples up to then were not processed: %s", later.text);
	buf_release(&text);
}

int
record_run(const struct record_options *options, struct buf *text, struct err *err)
{
	struct recording recording = {.options = options};
	int result = -1;

	profile_init(&recording.profile);
	if (record_find_workload(&recording, err) == 0 &&
		record_make_folder(&recording, err) == 0 && build(&recording, err) == 0) {
		recording.perfdata_path = file_join(recording.output_dir, "perf.data");
		if (capture(&recording, err) < 0)
			keep_failed(&recording, err);
		else if (fold(&recording, err) == 0)
			result = write_files(&recording, text, err);
	}
	if (recording.is_new && result == 0)
		buf_printf(text, "\nWritten to '%s': %s, folded.txt, flamegraph.svg, report.txt\n",
			recording.output_dir, file_basename(recording.perfdata_path));
	else if (recording.is_new)
		rmdir(recording.output_dir); /* only if it is empty */
	if (recording.is_workload) {
		program_tear_down(&recording.workload, 0);
		workload_release(&recording.workload);
	}
	profile_release(&recording.profile);
	operation_release(&recording.operation);
	capture_phases_release(&recording.phases);
	free(recording.title);
	free(recording.output_dir);
	stack_plan_release(&recording.stacks);
	free(recording.perfdata_path);
	free(recording.capture_path);
	return result;
}
