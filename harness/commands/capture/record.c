#include "capture/record.h"

#include "analysis/analysis.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/program.h"
#include "capture/backend.h"
#include "capture/recording.h"
#include "flamegraph/flamegraph.h"
#include "ingest/ingest.h"
#include "ingest/stack_survey.h"
#include "measurement/repeat_plan.h"
#include "measurement/run_capture.h"
#include "measurement/stack_plan.h"
#include "profile/folded.h"
#include "profile/metric.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define UNFOLDED_NAME "unfolded.data"

static int
build(struct recording *recording, struct err *err)
{
	const struct workload *w = &recording->workload;

	if (!recording->is_workload)
		return 0;
	return program_build(w, NULL, err) < 0 || program_set_up(w, 0, err) < 0 ? -1 : 0;
}

/* The seconds of the beginning that are not measured. */
static double
skip_seconds(const struct recording *recording)
{
	if (recording->options->skip_s > 0 || !recording->is_workload)
		return recording->options->skip_s;
	return recording->workload.capture.skip_s;
}

/*
 * The number of executions, 0: it is chosen. A command may have side effects: it is executed once.
 */
static unsigned
wanted_executions(const struct recording *recording)
{
	const struct record_options *options = recording->options;

	if (event_is_traced(&recording->event) || options->duration_s > 0 ||
		skip_seconds(recording) > 0)
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
 * Checks that a counted run executes the code that another run executes. A command is not run for
 * that, since it may have side effects.
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

	if (recording_plan(recording, err) < 0)
		return -1;
	if (recording->event.own_format) {
		free(recording->perfdata_path);
		recording->perfdata_path = file_join(recording->output_dir, "callgrind.out");
	}
	/*
	 * A capture with shared stacks is readable by us only: if we were killed, perf would find
	 * no sample in it.
	 */
	recording->capture_path = recording_condenses(recording)
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
		.share_stacks = recording_condenses(recording),
		.all_of = options->all_of ? &recording->all_of : NULL,
	};

	if (recording->is_workload)
		run_capture_fill_request(&recording->workload, &request);
	request.skip_s = skip_seconds(recording);
	stack_plan_fill(&recording->stacks, &request);
	recording->title = recording_title(recording);
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
	if (!recording_condenses(recording))
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
	/* Any thread may perform an operation. */
	if (recording->options->operation)
		return "all";
	return recording->is_workload ? recording->workload.capture.thread : "auto";
}

/* Reads the capture into the profile. */
static int
read_profile(struct recording *recording, struct err *err)
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

	run_capture_select_threads(wanted_thread(recording), recording->metric, &options);
	if (recording->has_phases)
		run_capture_label_phases(&options);
	int result = read_capture(recording, &options, err);

	if (result == 0 && copies) {
		stack_survey_explain(&survey, &why);
		profile->callgraph_why = strtab_intern(&profile->strings, buf_text(&why), why.len);
	}
	buf_release(&why);
	stack_survey_release(&survey);
	if (result < 0)
		return -1;
	run_capture_merge_counts(&profile->runs[0], &recording->captured.run);
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

/* Writes the files of a program that failed: its profile may show the reason. */
static void
keep_failed(struct recording *recording, struct err *err)
{
	struct err later = {.kind = ERR_NONE};
	struct buf text = {0};

	if (!recording->captured.kept)
		return;
	if (read_profile(recording, &later) == 0 && write_files(recording, &text, &later) == 0)
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
	if (recording_find_target(&recording, err) == 0 &&
		recording_make_folder(&recording, err) == 0 && build(&recording, err) == 0) {
		recording.perfdata_path = file_join(recording.output_dir, "perf.data");
		if (capture(&recording, err) < 0)
			keep_failed(&recording, err);
		else if (read_profile(&recording, err) == 0)
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
