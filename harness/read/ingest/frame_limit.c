#include "ingest/frame_limit.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "ingest/ingest_internal.h"

#include <string.h>
#include <sys/utsname.h>

/* MAX_STACKS of tools/perf/util/bpf_skel/off_cpu.bpf.c, Linux 6.1 to 6.12. */
#define FRAME_LIMIT_OFF_CPU 32

size_t
frame_limit_here(void)
{
	double value = sysfs_number("", "/proc/sys/kernel/perf_event_max_stack");

	return value >= 1 ? (size_t)value : FRAME_LIMIT_USUAL;
}

void
frame_limit_init(struct frame_limit *limit, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path)
{
	const char *hostname = perfdata_texts(reader)->hostname;
	struct utsname host;

	*limit = (struct frame_limit){.reader = reader, .view = view, .path = path};
	if (hostname && uname(&host) == 0 && strcmp(host.nodename, hostname) == 0)
		limit->assumed = frame_limit_here();
	else
		limit->assumed = FRAME_LIMIT_USUAL;
}

/* The addresses of a chain, and the last of them. */
static size_t
count_frames(const struct record_sample *sample, uint64_t *outermost)
{
	size_t n = 0;

	for (size_t i = 0; i < sample->nchain; i++) {
		if (sample->chain[i] >= PERF_CONTEXT_MAX)
			continue;
		*outermost = sample->chain[i];
		n++;
	}
	return n;
}

/* The limit that the event states; 0: none. *made: its chains are not those of the kernel. */
static size_t
stated(const struct perfdata_event *event, bool *made)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Condensed stacks and those of counted events are as deep as they were. */
	*made = attr->sample_stack_user > 0 || describe_counted(event) != NULL;
	return describe_is_off_cpu(event) ? FRAME_LIMIT_OFF_CPU : attr->sample_max_stack;
}

/* The chains of a file: how long the longest are, and where they begin. */
struct depths {
	size_t most;
	uint64_t roots_of_others; /* of the longest, those that begin where shorter ones do */
	uint64_t longest;
	struct key_map roots; /* of shorter ones */
};

static void
measure_chain(struct depths *depths, const struct record *record, bool count)
{
	uint64_t outermost = 0;
	const size_t n = count_frames(&record->u.sample, &outermost);

	if (!count) {
		depths->most = n > depths->most ? n : depths->most;
	} else if (n < depths->most) {
		key_map_add(&depths->roots, outermost);
	} else {
		depths->longest++;
		depths->roots_of_others += key_map_find(&depths->roots, outermost) != KEY_MAP_NONE;
	}
}

/* Reads all chains: first how long they are, then where they begin. */
static bool
measure(struct frame_limit *limit, struct depths *depths, bool count)
{
	struct err ignored = {0};
	struct record record;
	bool made;
	int status;
	struct perfdata_reader *reader = perfdata_open(limit->view, limit->path, &ignored);

	if (!reader)
		return false;
	while ((status = perfdata_next(reader, &record, &ignored)) > 0)
		if (record.type == PERF_RECORD_SAMPLE &&
			stated(perfdata_event(reader, record.event), &made) == 0 && !made)
			measure_chain(depths, &record, count);
	perfdata_close(reader);
	return status == 0;
}

/*
 * A program that always recurs as deeply has long chains of one length, too, but these begin where
 * its other ones do.
 */
static void
measure_limit(struct frame_limit *limit)
{
	struct depths depths = {0};

	limit->measured = true;
	limit->assumed = 0;
	if (measure(limit, &depths, false) && measure(limit, &depths, true) && depths.longest > 1 &&
		depths.roots_of_others * 2 < depths.longest)
		limit->assumed = depths.most;
	key_map_release(&depths.roots);
}

bool
frame_limit_cuts(struct frame_limit *limit, const struct record *record)
{
	uint64_t outermost;
	bool made;
	const size_t most = stated(perfdata_event(limit->reader, record->event), &made);
	const size_t n = count_frames(&record->u.sample, &outermost);

	if (n == 0 || made)
		return false;
	if (most > 0)
		return n >= most;
	if (n > limit->assumed && !limit->measured)
		measure_limit(limit);
	return n == limit->assumed;
}
