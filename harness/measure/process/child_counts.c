#include "process/child_counts.h"

#include "process/launch.h"

static uint64_t
less(uint64_t count, uint64_t before)
{
	return count > before ? count - before : 0;
}

static uint64_t
timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

struct child_counts
child_counts(const struct child *child)
{
	const struct rusage *usage = &child->usage;
	const uint64_t user_ns = timeval_ns(&usage->ru_utime);
	const uint64_t system_ns = timeval_ns(&usage->ru_stime);
	const uint64_t all_ns = user_ns + system_ns;
	/* What it used before its exec was user and system time in no known parts. */
	const double own = all_ns > 0 ? (double)less(all_ns, child->before_ns) / (double)all_ns : 0;
	struct child_counts counts = {
		.user_ns = (uint64_t)((double)user_ns * own),
		.system_ns = (uint64_t)((double)system_ns * own),
		.minor_faults = less((uint64_t)usage->ru_minflt, child->before_faults),
		.major_faults = (uint64_t)usage->ru_majflt,
		.max_rss_bytes = child->launched ? (uint64_t)usage->ru_maxrss * 1024 : 0,
		.io_known = child->io_known,
		.io = child->io,
	};

	/* Each word was read, and a report written ahead of it. */
	counts.io.read_bytes = less(counts.io.read_bytes, child->words * sizeof(uint64_t));
	counts.io.read_calls = less(counts.io.read_calls, child->words);
	counts.io.write_bytes =
		less(counts.io.write_bytes, child->words * sizeof(struct launch_report));
	counts.io.write_calls = less(counts.io.write_calls, child->words);
	return counts;
}
