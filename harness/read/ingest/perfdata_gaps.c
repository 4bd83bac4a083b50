/*
 * The gaps of a perf.data file: the errors where it has no samples, the warnings of truncated
 * stacks and of events that are not read, with the way to record without them, and the missing
 * files.
 */
#include "base/buf.h"
#include "base/log.h"
#include "ingest/frame_limit.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"
#include "symbols/symbolizer.h"

bool
perfdata_begins_with_exec(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		if (perfdata_event(reader, i)->attr.enable_on_exec)
			return true;
	return false;
}

int
perfdata_refuse_without_times(const char *path, const struct view *view, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: %s while it was recorded", path,
		view ? view->missed : "no thread waited");
}

int
perfdata_refuse_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err)
{
	const struct perfdata_event *of = perfdata_event(reader, event);

	err_set(err, ERR_INPUT, "%s: holds no samples of %s", path, of->name);
	if (event_is_group_read(of) && !event_group_is_usable(of))
		return err_note(err,
			"its values are in the samples of a group's leader ('{a,b}:S'), and are "
			"of each thread: record it without :S, or with --no-inherit");
	if (describe_is_clock(&of->attr) && !perfdata_begins_with_exec(reader))
		return err_note(err,
			"a process is sampled once in each sampling period of its CPU time: record for "
			"longer, or, for a process that waits, 'capture --metric offcpu --pid PID'");
	if (describe_is_clock(&of->attr))
		return err_note(err,
			"a process is sampled once in each sampling period of its CPU time, less "
			"often on a busy machine: raise the frequency, or execute it repeatedly "
			"('capture --repeat auto')");
	return err_note(err, "nothing ran while it was recorded, or the event does not count on "
			     "that machine (cpu-clock does on every one)");
}

/* Recommended copies of stacks are no longer than this: a record has no room for more. */
#define STACK_USER_MOST 65000

/* How stacks are recorded whole that this capture cut. */
static void
put_whole_stacks(const struct perf_event_attr *attr, struct buf *out)
{
	if (attr->sample_stack_user == 0)
		buf_puts(out,
			"the kernel ends a chain at its limit of frames "
			"(sysctl kernel.perf_event_max_stack=1024 raises it; perf record "
			"--call-graph dwarf,65528 and profile_run capture --call-graph dwarf do "
			"without)");
	else if (attr->sample_stack_user < STACK_USER_MOST)
		buf_printf(out,
			"the %u KiB of stack in each sample are too few (perf record --call-graph "
			"dwarf,65528; profile_run capture --stack-size 64KiB)",
			(attr->sample_stack_user + 1023) / 1024);
	else
		buf_printf(out,
			"the %u KiB of stack in each sample are too few (a sample cannot hold "
			"more: the program's frame pointers can give the rest, perf record "
			"--call-graph fp)",
			(attr->sample_stack_user + 1023) / 1024);
}

void
perfdata_warn_of_truncated(
	const struct run *run, const struct perf_event_attr *attr, const char *path)
{
	if ((double)run->truncated_stacks <= TRUNCATED_TOLD * (double)run->samples)
		return;
	struct buf reason = {0};

	put_whole_stacks(attr, &reason);
	log_warn("%s: %llu of %llu stacks are truncated: %s", path,
		(unsigned long long)run->truncated_stacks, (unsigned long long)run->samples,
		buf_text(&reason));
	buf_release(&reason);
}

void
perfdata_warn_of_group(const struct perfdata_reader *reader, size_t read, const char *path)
{
	const struct perfdata_event *event = perfdata_event(reader, read);
	struct buf others = {0};

	if (!event_is_group_read(event))
		return;
	for (size_t i = 0; i < perfdata_nevents(reader); i++) {
		const struct perfdata_event *other = perfdata_event(reader, i);

		if (i != read && other->nsamples == 0 && event_is_group_read(other))
			buf_printf(&others, "%s%s", others.len > 0 ? ", " : "", other->name);
	}
	if (others.len > 0 && event_group_is_usable(event))
		log_warn("%s: the samples of %s are read, which is read together with others "
			 "('{a,b}:S'); --event takes these: %s",
			path, event->name, buf_text(&others));
	else if (others.len > 0)
		log_warn("%s: of a group of events that is read together ('{a,b}:S') only the "
			 "samples of '%s' are read; record the others without :S",
			path, event->name);
	buf_release(&others);
}

void
perfdata_describe_missing(const struct symbol_cache *symbols, struct profile *profile)
{
	struct buf missing = {0};

	symbol_cache_put_missing(symbols, &missing);
	describe_set(profile, &profile->missing, buf_text(&missing));
	buf_release(&missing);
}
