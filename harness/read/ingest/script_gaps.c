/*
 * The gaps of perf script's text: the error where no sample was read, and the warnings of fields,
 * stacks and samples that it lacks.
 */
#include "base/buf.h"
#include "base/log.h"
#include "ingest/frame_limit.h"
#include "ingest/script_internal.h"

/* A field that the text lacks, and what that means. */
static void
put_missing(struct buf *means, struct buf *fields, const char *meaning, const char *field)
{
	buf_printf(means, "%s%s", means->len > 0 ? "; " : "", meaning);
	buf_printf(fields, "%s+%s", fields->len > 0 ? "," : "", field);
}

static void
warn_of_missing(const struct script_tally *tally, const struct script_layout *layout,
	const char *event, const char *path)
{
	struct buf means = {0};
	struct buf fields = {0};

	if (tally->with_stacks == 0)
		put_missing(&means, &fields, "no sample has a stack", "ip,+sym");
	if (tally->without_period > 0)
		put_missing(&means, &fields, "without its period a sample weighs 1", "period");
	if (event[0] == '\0')
		put_missing(&means, &fields, "without names all events count as one", "event");
	if (layout->no_names)
		put_missing(
			&means, &fields, "without symbols frames are named after modules", "sym");
	if (means.len > 0)
		log_warn("%s: %s (perf script -F %s prints what is missing)", path,
			buf_text(&means), buf_text(&fields));
	if (tally->nameless > 0)
		log_warn("%s: %llu samples with neither a stack nor the name of a thread are not "
			 "counted",
			path, (unsigned long long)tally->nameless);
	buf_release(&means);
	buf_release(&fields);
}

static void
warn_of_truncated(const struct run *run, const char *path)
{
	if ((double)run->truncated_stacks > TRUNCATED_TOLD * (double)run->samples)
		log_warn("%s: %llu of %llu stacks are truncated: they have as many frames as the "
			 "kernel records (sysctl kernel.perf_event_max_stack=1024) or as perf "
			 "prints (perf script --max-stack 1024)",
			path, (unsigned long long)run->truncated_stacks,
			(unsigned long long)run->samples);
}

static void
warn_of_messages(const struct script_tally *tally, const char *path)
{
	if (tally->messages > 0)
		log_warn("%s: %llu message%s of perf skipped", path,
			(unsigned long long)tally->messages, tally->messages == 1 ? "" : "s");
	if (tally->loss[0])
		log_warn("%s: perf lost data: %s", path, tally->loss);
}

void
script_warn_of_gaps(const struct script_tally *tally, const struct run *run,
	const struct script_layout *layout, const char *event, const char *path)
{
	warn_of_missing(tally, layout, event, path);
	warn_of_truncated(run, path);
	warn_of_messages(tally, path);
}

int
script_refuse_without_samples(const struct script_tally *tally, const char *path, struct err *err)
{
	err_set(err, ERR_INPUT, "%s: holds no samples", path);
	if (tally->nameless > 0)
		err_note(err,
			"%llu samples have neither a stack nor the name of a thread; text that can "
			"be read: " SCRIPT_COMMAND,
			(unsigned long long)tally->nameless);
	if (tally->left_out > 0)
		err_note(err, "%llu samples of other threads were ignored",
			(unsigned long long)tally->left_out);
	return -1;
}
