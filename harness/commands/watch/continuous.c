#include "watch/continuous.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "capture/backend.h"
#include "history/trend.h"
#include "history/trend_events.h"
#include "ingest/ingest.h"
#include "ingest/ingest_cache.h"
#include "ingest/labels.h"
#include "machine/machine.h"
#include "measurement/run_capture.h"
#include "measurement/stack_plan.h"
#include "output/trend_report.h"
#include "process/child.h"
#include "process/process.h"
#include "profile/profile.h"
#include "watch/push_profile.h"
#include "watch/windows.h"
#include "watch/windows_history.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define METRIC "cpu"
#define CAPTURE_NAME "window.data"
#define ALERTS_NAME "alerts.json"
#define OPENMETRICS_NAME "openmetrics.prom"
#define NS_PER_S 1e9
/* The number of windows that are judged: older ones do not show what is normal. */
#define JUDGED 100
/*
 * Names are looked up anew after so many windows: programs and the kernel's modules come and go,
 * and on a machine that compiles and tests each window has new ones.
 */
#define WINDOWS_OF_CACHE 24

struct continuous {
	const struct continuous_options *options;
	const struct capture_backend *backend;
	struct capture_event event;
	cpu_set_t cpus;
	struct ingest_cache *cache; /* names, for many windows */
	unsigned windows_of_cache;
	struct stack_plan stacks;
	char *capture_path;
	uint64_t start_ns;
	double own_before_s; /* own_seconds() at the start */
	size_t push_failures;
	size_t nalerts; /* of the last judgement, as is `text` */
	struct buf text;
};

/* CPU time of this process and of the programs that it ran. */
static double
own_seconds(void)
{
	const double own = (double)clock_own_cpu_ns() / NS_PER_S;
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return own;
	return own + (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* The part of the CPU time of the whole machine since the start that profile_run itself used. */
static double
own_ratio(const struct continuous *watch)
{
	double elapsed = (double)(clock_ns() - watch->start_ns) / NS_PER_S;
	long ncpus = sysconf(_SC_NPROCESSORS_ONLN);

	return (own_seconds() - watch->own_before_s) / (elapsed * (double)(ncpus > 0 ? ncpus : 1));
}

static int
prepare(struct continuous *watch, struct err *err)
{
	const struct continuous_options *options = watch->options;

	watch->start_ns = clock_ns();
	watch->own_before_s = own_seconds();
	watch->backend = capture_backend_for(METRIC);
	watch->capture_path = file_join(options->dir, CAPTURE_NAME);
	stack_plan_init(&watch->stacks, options->callgraph, 0, NULL);
	if (watch->backend->choose(METRIC, options->event, &watch->event, err) < 0)
		return -1;
	if (cpu_list_parse_all(options->cpus, &watch->cpus) < 0)
		return err_set(err, ERR_USAGE,
			"'--cpus %s': expected \"all\" or a list of CPUs such as \"0,2-3\"",
			options->cpus);
	return 0;
}

static void
release(struct continuous *watch)
{
	stack_plan_release(&watch->stacks);
	ingest_cache_free(watch->cache);
	free(watch->capture_path);
	buf_release(&watch->text);
}

static int
capture_window(struct continuous *watch, struct capture_result *captured, struct err *err)
{
	struct capture_request request = {
		.event = watch->event,
		.frequency_hz = watch->options->frequency_hz,
		.output = CHILD_KEEP,
		.reader_cpu = -1,
		.duration_s = watch->options->for_s,
		.perfdata_path = watch->capture_path,
		.all_of = &watch->cpus,
	};

	stack_plan_fill(&watch->stacks, &request);
	request.share_stacks = request.stack_bytes > 0;
	return watch->backend->run(&request, captured, err);
}

static struct ingest_cache *
take_cache(struct continuous *watch)
{
	if (!watch->cache || watch->windows_of_cache++ == WINDOWS_OF_CACHE) {
		ingest_cache_free(watch->cache);
		watch->cache = ingest_cache_new();
		watch->windows_of_cache = 1;
	}
	return watch->cache;
}

/* Reads the capture into `profile`, and removes it. */
static int
fold_window(struct continuous *watch, const struct capture_result *captured,
	struct profile *profile, struct err *err)
{
	const struct ingest_options options = {
		.cache = take_cache(watch),
		.by = {{{LABEL_PROCESS, "process"}}, 1},
		.no_inline = true,
		.threads = 1,
	};
	int result = ingest_file(profile, watch->capture_path, &options, err);

	unlink(watch->capture_path);
	held_files_remove_copies(watch->capture_path);
	if (result < 0)
		return -1;
	run_capture_merge_counts(&profile->runs[0], &captured->run);
	profile->duration_s = (double)captured->run.wall_ns / NS_PER_S;
	profile->frequency_hz = watch->options->frequency_hz;
	profile_sort(profile);
	return 0;
}

static int
write_output(const struct continuous *watch, const char *name, struct buf *bytes, struct err *err)
{
	char *path = file_join(watch->options->dir, name);
	int result = file_write(path, buf_text(bytes), bytes->len, err);

	free(path);
	buf_release(bytes);
	return result;
}

static void
log_alerts(const struct trend *trend, int64_t from)
{
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];

		if (trend_is_worse(change, from))
			log_warn("%s %s grew to %.1f %% (before: %.1f %%)",
				change->series->workload,
				change->series->function[0] ? change->series->function
							    : "(program)",
				exp(change->point->after_level), exp(change->point->before_level));
	}
}

static int
report(struct continuous *watch, const struct history *history, struct err *err)
{
	struct change_search search = change_search_default;
	struct watch_state state = {
		.own_ratio = own_ratio(watch),
		.push_failures = watch->push_failures,
		.alert_from = windows_recent_from(history, WINDOWS_ALERT),
	};
	struct windows windows;
	struct trend trend;
	struct trend_events events;
	struct buf json = {0};
	struct buf metrics = {0};

	if (windows_list(&windows, watch->options->dir, err) < 0)
		return -1;
	state.windows = windows.count;
	state.started = windows.count > 0 ? windows.started[windows.count - 1] : 0;
	windows_release(&windows);
	search.threshold = watch->options->threshold;
	trend_init(&trend, history, &search, NULL, 0);
	trend_events_init(&events, &trend);
	watch->nalerts = trend_events_count_live(&events, state.alert_from);

	const struct trend_report about = {
		.trend = &trend,
		.events = &events,
		.of_windows = true,
		.alert_days = WINDOWS_ALERT,
		.alert_from = state.alert_from,
		.nalerts = watch->nalerts,
		.tool_version = PROFILE_RUN_VERSION,
	};

	log_alerts(&trend, state.alert_from);
	buf_clear(&watch->text);
	trend_put_text(&about, &watch->text);
	trend_put_json(&about, &json);
	openmetrics_put_watch(&trend, &state, &metrics);
	int result = write_output(watch, ALERTS_NAME, &json, err);

	if (result == 0)
		result = write_output(watch, OPENMETRICS_NAME, &metrics, err);
	buf_release(&json);
	buf_release(&metrics);
	trend_events_release(&events);
	trend_release(&trend);
	return result;
}

/* Judges the last windows by the windows before them. */
static int
judge(struct continuous *watch, struct err *err)
{
	struct history history;

	if (windows_read(&history, watch->options->dir, JUDGED, err) < 0)
		return -1;
	int result = report(watch, &history, err);

	history_release(&history);
	return result;
}

/* Sends the window. A store that cannot be reached does not end the watch; an interruption does. */
static int
push(struct continuous *watch, const struct profile *profile, struct err *err)
{
	const struct continuous_options *options = watch->options;
	struct err refused = {.kind = ERR_NONE};

	if (!options->push_url ||
		push_profile(options->push_url, profile, options->dir, &refused) == 0)
		return 0;
	if (refused.kind == ERR_INTERRUPTED)
		return err_set_interrupted(err, refused.signal);
	watch->push_failures++;
	log_warn("the window was not pushed: %s", refused.text);
	return 0;
}

static int
keep_window(struct continuous *watch, const struct profile *profile, struct err *err)
{
	const struct continuous_options *options = watch->options;

	if (windows_add(options->dir, profile, err) < 0 ||
		windows_prune(options->dir, options->keep, err) < 0 ||
		push(watch, profile, err) < 0 || judge(watch, err) < 0)
		return -1;
	log_info(
		"%.0f samples in %.1f s; profile_run itself: %.2f %% of the CPU time of the machine",
		profile_column_total(profile, 0), profile->duration_s, 100 * own_ratio(watch));
	return 0;
}

/* Takes, keeps and judges one window. On an idle machine it may have no sample, and is not kept. */
static int
take_window(struct continuous *watch, struct err *err)
{
	struct capture_result captured;
	struct profile profile;
	int64_t started = (int64_t)time(NULL);

	if (capture_window(watch, &captured, err) < 0 || signals_check(err) < 0)
		return -1;
	if (captured.run.samples == 0) {
		log_info("no sample in this window: the machine is idle");
		return 0;
	}
	profile_init(&profile);
	profile.started = started;
	int result = fold_window(watch, &captured, &profile, err);

	if (result == 0)
		result = keep_window(watch, &profile, err);
	profile_release(&profile);
	return result;
}

/* Waits until then; -1 after a signal. */
static int
wait_until(int64_t when, struct err *err)
{
	double left = (double)(when - (int64_t)time(NULL));
	enum watch_end end;

	if (left <= 0)
		return signals_check(err);
	const struct watch watch = {.deadline_ns = clock_ns() + (uint64_t)(left * NS_PER_S)};

	return watch_wait(&watch, &end, err) < 0 ? -1 : signals_check(err);
}

/* The start of the first window: it continues the windows of an earlier watch of the folder. */
static int
first_start(const struct continuous_options *options, int64_t *when, struct err *err)
{
	struct windows windows;
	int64_t now = (int64_t)time(NULL);

	if (windows_list(&windows, options->dir, err) < 0)
		return -1;
	*when = now;
	if (windows.count > 0 && !options->once)
		*when = windows.started[windows.count - 1] + (int64_t)ceil(options->every_s);
	/* The clock may have been set back. */
	if (*when < now || *when > now + (int64_t)ceil(options->every_s))
		*when = now;
	windows_release(&windows);
	return 0;
}

static int
take_windows(struct continuous *watch, struct err *err)
{
	const struct continuous_options *options = watch->options;
	const int64_t every = (int64_t)ceil(options->every_s);
	int64_t when;

	if (first_start(options, &when, err) < 0)
		return -1;
	do {
		if (wait_until(when, err) < 0 || take_window(watch, err) < 0)
			return -1;
		int64_t now = (int64_t)time(NULL);

		when += every;
		if (when < now || when > now + every)
			when = now + every;
	} while (!options->once);
	return 0;
}

int
continuous_run(const struct continuous_options *options, size_t *nalerts, struct buf *text,
	struct err *err)
{
	static const struct lock_wait at_once = {.seconds = 0};
	struct continuous watch = {.options = options};

	if ((options->push_url && push_check(options->push_url, err) < 0) ||
		file_make_output_folder(options->dir, err) < 0)
		return -1;
	int lock = lock_dir(options->dir, NULL, &at_once, err);

	if (lock < 0)
		return err_note(err, "another watch may be at work in '%s'", options->dir);
	int result = prepare(&watch, err);

	if (result == 0)
		result = take_windows(&watch, err);
	/* A watch is ended by an interruption. */
	if (result < 0 && err->kind == ERR_INTERRUPTED) {
		*err = (struct err){.kind = ERR_NONE};
		result = 0;
	}
	*nalerts = watch.nalerts;
	buf_puts(text, buf_text(&watch.text));
	release(&watch);
	close(lock);
	return result;
}
