#include "commands/crosscheck_command.h"

#include "analysis/crosscheck.h"
#include "analysis/sentences.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "commands/crosscheck_tools.h"
#include "format/figures.h"
#include "format/table.h"
#include "process/process.h"
#include "profile/canonical.h"
#include "profile/quality.h"
#include "profile/weights.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Fewer samples are few: with so many, the standard error of a share of one half is 2.5 points. */
#define FEW_SAMPLES 400

/* One tool, and the result of its run. */
struct attempt {
	const struct crosscheck_tool *tool;
	struct profile profile; /* names canonical; without runs where it did not work */
	char *reason;           /* why it did not work, one or more lines; NULL: it did */
};

struct attempts {
	struct attempt all[CROSSCHECK_SIDES_MAX];
	size_t count;
	size_t nworked;
};

static void
unknown_tool(const char *list, struct err *err)
{
	struct buf names = {0};

	for (size_t i = 0; crosscheck_tools[i]; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", crosscheck_tools[i]->name);
	err_set(err, ERR_USAGE, "'--tools %s': expected some of %s, separated by commas", list,
		buf_text(&names));
	buf_release(&names);
}

/* Which of crosscheck_tools[] are in the list (NULL: all), as a set of bits. */
static int
choose_tools(const char *list, unsigned *wanted, struct err *err)
{
	*wanted = list ? 0 : UINT_MAX;
	for (const char *at = list; at;) {
		const size_t len = strcspn(at, ",");
		size_t i = 0;

		while (crosscheck_tools[i] &&
			(strlen(crosscheck_tools[i]->name) != len ||
				strncmp(crosscheck_tools[i]->name, at, len) != 0))
			i++;
		if (!crosscheck_tools[i]) {
			unknown_tool(list, err);
			return -1;
		}
		*wanted |= 1u << i;
		at = at[len] == ',' ? at + len + 1 : NULL;
	}
	return 0;
}

static void
attempts_init(struct attempts *attempts, unsigned wanted)
{
	*attempts = (struct attempts){.count = 0};
	for (size_t i = 0; crosscheck_tools[i]; i++) {
		assert(i < CROSSCHECK_SIDES_MAX);
		if (!(wanted >> i & 1))
			continue;
		struct attempt *attempt = &attempts->all[attempts->count++];

		attempt->tool = crosscheck_tools[i];
		profile_init(&attempt->profile);
	}
}

static void
attempts_release(struct attempts *attempts)
{
	for (size_t i = 0; i < attempts->count; i++) {
		profile_release(&attempts->all[i].profile);
		free(attempts->all[i].reason);
	}
}

/* Runs the command without a profiler: it has to work. gprof uses the gmon files of this run. */
static int
run_plainly(const struct crosscheck_task *task, struct run *run, struct err *err)
{
	char *prefix = mem_printf("GMON_OUT_PREFIX=%s/gmon", task->gmon_dir);
	const char *const env[] = {prefix, NULL};
	const struct capture_request request = {
		.argv = task->command,
		.env = env,
		.output = CHILD_KEEP,
		.executions = 1,
		.reader_cpu = -1,
	};
	struct capture_result result;
	int status = capture_backend_for("cpu")->run(&request, &result, err);

	*run = result.run;
	free(prefix);
	return status;
}

/* Measures with one tool. Only an interruption is an error. */
static int
try_tool(struct attempt *attempt, struct crosscheck_task *task, struct err *err)
{
	struct profile measured;
	struct err reason = {.kind = ERR_NONE};

	if (attempt->tool->slowness)
		log_info("measuring with %s, which takes %s", attempt->tool->name,
			attempt->tool->slowness);
	else
		log_info("measuring with %s", attempt->tool->name);
	profile_init(&measured);
	if (attempt->tool->measure(task, &measured, &reason) == 0)
		canonical_join(&attempt->profile, &measured, NULL);
	else
		attempt->reason = mem_strdup(reason.text);
	profile_release(&measured);
	if (reason.kind != ERR_INTERRUPTED)
		return 0;
	*err = reason;
	return -1;
}

static double
weight_of(const struct profile *profile)
{
	double sum = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		sum += profile_column_total(profile, i);
	return sum;
}

/* Appends "2,277 samples of cpu-clock", and why a run is not usable. */
static void
put_measured(const struct attempt *attempt, struct buf *out)
{
	const struct profile *profile = &attempt->profile;
	const char *event = strtab_str(&profile->strings, profile->event);
	char why[QUALITY_TEXT_MAX];

	format_count(out, weight_of(profile));
	buf_printf(out, " %s", weights_noun(profile));
	if (!attempt->tool->counts && *event && strcmp(event, attempt->tool->name) != 0)
		buf_printf(out, " of %.*s", (int)crosscheck_event_len(event), event);
	for (size_t i = 0; i < profile->nruns; i++)
		if (quality_of_run(&profile->runs[i], why))
			buf_printf(out, "; %s", why);
}

/*
 * Appends the first line of a reason, and the first line of the tool's output, or the first note.
 */
static void
put_reason(const char *reason, struct buf *out)
{
	static const char *const marks[] = {"\n    | ", "\n  note: "};
	const char *more = NULL;

	buf_put(out, reason, strcspn(reason, "\n"));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !more; i++) {
		more = strstr(reason, marks[i]);
		more = more ? more + strlen(marks[i]) : NULL;
	}
	if (!more)
		return;
	buf_puts(out, "; ");
	buf_put(out, more, strcspn(more, "\n"));
}

static void
put_tools(const struct attempts *attempts, struct buf *out)
{
	static const struct table_column columns[] = {{.heading = NULL}, {.heading = NULL}};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < attempts->count; i++) {
		const struct attempt *attempt = &attempts->all[i];

		table_put(&table, attempt->tool->name);
		if (attempt->reason) {
			buf_puts(table_cell(&table), "not used: ");
			put_reason(attempt->reason, table_cell(&table));
		} else {
			put_measured(attempt, table_cell(&table));
		}
		table_end_cell(&table);
	}
	table_write(&table, 0, out);
	table_release(&table);
}

__attribute__((format(printf, 2, 3))) static void
put_note(struct buf *out, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;

	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	buf_putc(out, '\n');
	analysis_wrap(out, buf_text(&text), 0, ANALYSIS_COLUMNS, true);
	buf_release(&text);
}

static void
put_hints(const struct attempts *attempts, struct buf *out)
{
	bool few = false;

	for (size_t i = 0; i < attempts->count; i++)
		few |= !attempts->all[i].reason && !attempts->all[i].tool->counts &&
		       weight_of(&attempts->all[i].profile) < FEW_SAMPLES;
	for (size_t i = 0; i < attempts->count && attempts->nworked > 1; i++) {
		const struct attempt *attempt = &attempts->all[i];

		if (!attempt->reason && attempt->tool->nature)
			put_note(out, "%s %s", attempt->tool->name, attempt->tool->nature);
	}
	if (few)
		put_note(out, "Sampling error is large: a longer run, or a higher '--frequency', "
			      "has more samples.");
	if (attempts->nworked == 1)
		put_note(out, "Only one tool was used: nothing is compared.");
}

static void
put_comparison(const struct attempts *attempts, const char *program, size_t top, struct buf *out)
{
	struct crosscheck_side sides[CROSSCHECK_SIDES_MAX];
	struct crosscheck crosscheck;
	size_t nsides = 0;

	for (size_t i = 0; i < attempts->count; i++) {
		const struct attempt *attempt = &attempts->all[i];

		if (!attempt->reason)
			sides[nsides++] = (struct crosscheck_side){
				.tool = attempt->tool->name,
				.profile = &attempt->profile,
				.scope = attempt->tool->scope,
				.counts = attempt->tool->counts,
			};
	}
	crosscheck_init(&crosscheck, sides, nsides, program);
	crosscheck_write(&crosscheck, top, out);
	crosscheck_release(&crosscheck);
}

static void
put_command(const struct crosscheck_options *options, const struct run *run, struct buf *out)
{
	for (size_t i = 0; options->command[i]; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", options->command[i]);
	buf_puts(out, "\nwithout a profiler: ");
	format_duration(out, (double)run->wall_ns * 1e-9);
	buf_puts(out, ", CPU time ");
	format_duration(out, (double)run->cpu_ns * 1e-9);
	buf_puts(out, "\n\n");
}

static int
fail(const struct attempts *attempts, struct err *err)
{
	err_set(err, ERR_MEASURE, "no tool could measure the command");
	for (size_t i = 0; i < attempts->count; i++) {
		struct buf line = {0};

		if (!attempts->all[i].reason)
			continue;
		put_reason(attempts->all[i].reason, &line);
		err_note(err, "%s: %s", attempts->all[i].tool->name, buf_text(&line));
		buf_release(&line);
	}
	return err_note(
		err, "the command is run once for each tool: it has to work again each time");
}

static int
measure_all(struct attempts *attempts, const struct crosscheck_options *options,
	struct crosscheck_task *task, struct buf *text, struct err *err)
{
	struct run plain;

	log_info("running the command without a profiler");
	if (run_plainly(task, &plain, err) < 0)
		return -1;
	for (size_t i = 0; i < attempts->count; i++) {
		if (try_tool(&attempts->all[i], task, err) < 0)
			return -1;
		attempts->nworked += attempts->all[i].reason == NULL;
	}
	if (attempts->nworked == 0)
		return fail(attempts, err);
	char *found = find_program(options->command[0], NULL, NULL);
	char *program = found ? realpath(found, NULL) : NULL;

	put_command(options, &plain, text);
	put_tools(attempts, text);
	buf_putc(text, '\n');
	put_comparison(attempts, program ? program : options->command[0], options->top, text);
	put_hints(attempts, text);
	free(program);
	free(found);
	return 0;
}

int
crosscheck_run(const struct crosscheck_options *options, struct buf *text, struct err *err)
{
	struct attempts attempts;
	unsigned wanted;
	char *scratch;

	if (choose_tools(options->tools, &wanted, err) < 0 || file_dir_scratch(&scratch, err) < 0)
		return -1;
	char *gmon_dir = file_join(scratch, "plain");
	char *other_dir = file_join(scratch, "other");
	char *prefix = mem_printf("GMON_OUT_PREFIX=%s/gmon", other_dir);
	const char *const env[] = {prefix, NULL};
	struct crosscheck_task task = {
		.command = options->command,
		.frequency_hz = options->frequency_hz,
		.dir = scratch,
		.gmon_dir = gmon_dir,
		.env = env,
	};
	int status = -1;

	attempts_init(&attempts, wanted);
	if (file_make_dirs(gmon_dir, err) == 0 && file_make_dirs(other_dir, err) == 0)
		status = measure_all(&attempts, options, &task, text, err);
	attempts_release(&attempts);
	free(prefix);
	free(other_dir);
	free(gmon_dir);
	file_dir_abandon(scratch);
	return status;
}
