#include "profile/counters.h"

#include "format/figures.h"
#include "profile/metric.h"
#include "profile/profile.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert(NCOUNTERS <= 64, "struct run_counters has a bit for each");

/*
 * A field of the run, by execution. It is the program's own only where that ran by itself: under
 * valgrind the fields are valgrind's, and user_time is not known.
 */
static double
own(const struct run *run, uint64_t field)
{
	double user = counter_value(run, COUNTER_USER_TIME);

	return run->measured && !isnan(user) ? (double)field / executions_of_run(run) : NAN;
}

static double
cpu_time(const struct run *run)
{
	return own(run, run->cpu_ns);
}

static double
context_switches(const struct run *run)
{
	return own(run, run->context_switches);
}

static double
migrations(const struct run *run)
{
	return own(run, run->migrations);
}

static double
page_faults(const struct run *run)
{
	return counter_value(run, COUNTER_MINOR_FAULTS) + counter_value(run, COUNTER_MAJOR_FAULTS);
}

/* NAN where either is not known, or nothing was counted. */
static double
quotient(const struct run *run, enum counter_id of, enum counter_id by)
{
	double divisor = counter_value(run, by);

	return divisor > 0 ? counter_value(run, of) / divisor : NAN;
}

static double
ipc(const struct run *run)
{
	return quotient(run, COUNTER_INSTRUCTIONS, COUNTER_CYCLES);
}

static double
branch_mpki(const struct run *run)
{
	return 1000 * quotient(run, COUNTER_BRANCH_MISSES, COUNTER_INSTRUCTIONS);
}

static double
cache_mpki(const struct run *run)
{
	return 1000 * quotient(run, COUNTER_CACHE_MISSES, COUNTER_INSTRUCTIONS);
}

static double
context_switches_per_op(const struct run *run)
{
	return quotient(run, COUNTER_CONTEXT_SWITCHES, COUNTER_OPERATIONS);
}

static double
write_bytes_per_op(const struct run *run)
{
	return quotient(run, COUNTER_WRITE_BYTES, COUNTER_OPERATIONS);
}

/* clang-format off */
const struct counter_kind counter_kinds[NCOUNTERS] = {
	[COUNTER_CPU_TIME] = {.name = "cpu_time", .unit = "ns",
		.help = "user and system time, by the scheduler's clock",
		.derive = cpu_time},
	[COUNTER_USER_TIME] = {.name = "user_time", .unit = "ns",
		.help = "CPU time in the program's own code"},
	[COUNTER_SYSTEM_TIME] = {.name = "system_time", .unit = "ns",
		.help = "CPU time in the kernel"},
	[COUNTER_PAGE_FAULTS] = {.name = "page_faults", .unit = NULL,
		.help = "minor and major page faults together",
		.derive = page_faults},
	[COUNTER_MINOR_FAULTS] = {.name = "minor_faults", .unit = NULL,
		.help = "page faults without reading from storage"},
	[COUNTER_MAJOR_FAULTS] = {.name = "major_faults", .unit = NULL,
		.help = "page faults that read from storage"},
	[COUNTER_MAX_RSS] = {.name = "max_rss", .unit = "bytes",
		.help = "largest resident memory of one of its processes",
		.largest = true},
	[COUNTER_CONTEXT_SWITCHES] = {.name = "context_switches", .unit = NULL,
		.help = "times that it gave up a CPU or lost it",
		.derive = context_switches},
	[COUNTER_MIGRATIONS] = {.name = "migrations", .unit = NULL,
		.help = "times that a thread moved to another CPU",
		.derive = migrations},
	[COUNTER_READ_BYTES] = {.name = "read_bytes", .unit = "bytes",
		.help = "bytes that read calls returned, whether from storage, cache or a pipe"},
	[COUNTER_WRITE_BYTES] = {.name = "write_bytes", .unit = "bytes",
		.help = "bytes that write calls took, to whatever file, socket or pipe",
		.exact = true},
	[COUNTER_READ_CALLS] = {.name = "read_calls", .unit = NULL,
		.help = "read calls"},
	[COUNTER_WRITE_CALLS] = {.name = "write_calls", .unit = NULL,
		.help = "write calls",
		.exact = true},
	[COUNTER_STORAGE_READ_BYTES] = {.name = "storage_read_bytes", .unit = "bytes",
		.help = "bytes fetched from storage: none where the page cache has them"},
	[COUNTER_STORAGE_WRITE_BYTES] = {.name = "storage_write_bytes", .unit = "bytes",
		.help = "bytes of the pages that are to be written to storage"},
	[COUNTER_SYSCALLS] = {.name = "syscalls", .unit = NULL,
		.help = "system calls, where these are counted",
		.exact = true, .of_metric = true},
	[COUNTER_ALLOC_COUNT] = {.name = "alloc_count", .unit = NULL,
		.help = "requests for memory, where allocations are counted",
		.exact = true, .of_metric = true},
	[COUNTER_ALLOC_PEAK] = {.name = "alloc_peak", .unit = "bytes",
		.help = "requested memory when most was live, where allocations are counted",
		.exact = true, .of_metric = true},
	[COUNTER_ALLOC_LIVE] = {.name = "alloc_live", .unit = "bytes",
		.help = "requested memory that was not freed, where allocations are counted",
		.exact = true, .of_metric = true},
	[COUNTER_CYCLES] = {.name = "cycles", .unit = NULL,
		.help = "CPU cycles in user code; needs a PMU",
		.needs_pmu = true},
	[COUNTER_INSTRUCTIONS] = {.name = "instructions", .unit = NULL,
		.help = "instructions executed in user code; needs a PMU",
		.needs_pmu = true},
	[COUNTER_IPC] = {.name = "ipc", .unit = "",
		.help = "instructions per cycle",
		.needs_pmu = true, .shown_only = true, .derive = ipc},
	[COUNTER_BRANCHES] = {.name = "branches", .unit = NULL,
		.help = "branches in user code; needs a PMU",
		.needs_pmu = true},
	[COUNTER_BRANCH_MISSES] = {.name = "branch_misses", .unit = NULL,
		.help = "branches predicted wrong, in user code; needs a PMU",
		.needs_pmu = true},
	[COUNTER_BRANCH_MPKI] = {.name = "branch_mpki", .unit = "",
		.help = "branch misses per 1,000 instructions",
		.needs_pmu = true, .shown_only = true, .derive = branch_mpki},
	[COUNTER_CACHE_MISSES] = {.name = "cache_misses", .unit = NULL,
		.help = "misses of the last-level cache, in user code; needs a PMU",
		.needs_pmu = true},
	[COUNTER_CACHE_MPKI] = {.name = "cache_mpki", .unit = "",
		.help = "cache misses per 1,000 instructions",
		.needs_pmu = true, .shown_only = true, .derive = cache_mpki},
	[COUNTER_PMU_RUNNING] = {.name = "pmu_running", .unit = "",
		.help = "least share of the time in which the PMU had room for one of its counters",
		.needs_pmu = true, .shown_only = true},
	[COUNTER_OPERATIONS] = {.name = "operations", .unit = NULL,
		.help = "operations that the driver reported",
		.of_metric = true, .shown_only = true},
	[COUNTER_LATENCY_MEAN] = {.name = "latency_mean", .unit = "ns",
		.help = "mean time of an operation",
		.of_metric = true, .of_latency = true},
	[COUNTER_LATENCY_P50] = {.name = "latency_p50", .unit = "ns",
		.help = "time that half of the operations take at most",
		.of_metric = true, .of_latency = true},
	[COUNTER_LATENCY_P90] = {.name = "latency_p90", .unit = "ns",
		.help = "time that 90 % of the operations take at most",
		.of_metric = true, .of_latency = true},
	[COUNTER_LATENCY_P99] = {.name = "latency_p99", .unit = "ns",
		.help = "time that 99 % of the operations take at most",
		.of_metric = true, .of_latency = true},
	[COUNTER_LATENCY_P99_9] = {.name = "latency_p99.9", .unit = "ns",
		.help = "time that 99.9 % of the operations take at most",
		.of_metric = true, .of_latency = true},
	[COUNTER_LATENCY_MAX] = {.name = "latency_max", .unit = "ns",
		.help = "time of the slowest operation",
		.of_metric = true, .of_latency = true},
	[COUNTER_CPU_PER_OP] = {.name = "cpu_per_op", .unit = "ns",
		.help = "CPU time of an operation",
		.of_metric = true, .per_op = true},
	[COUNTER_OFFCPU_PER_OP] = {.name = "offcpu_per_op", .unit = "ns",
		.help = "time that threads waited, by operation",
		.of_metric = true, .per_op = true},
	[COUNTER_WALL_PER_OP] = {.name = "wall_per_op", .unit = "ns",
		.help = "time of threads, running or waiting, by operation",
		.of_metric = true, .per_op = true},
	[COUNTER_INSTRUCTIONS_PER_OP] = {.name = "instructions_per_op", .unit = NULL,
		.help = "executed instructions of an operation",
		.exact = true, .of_metric = true, .per_op = true},
	[COUNTER_SYSCALLS_PER_OP] = {.name = "syscalls_per_op", .unit = NULL,
		.help = "system calls of an operation",
		.exact = true, .of_metric = true, .per_op = true},
	[COUNTER_ALLOC_PER_OP] = {.name = "alloc_per_op", .unit = "bytes",
		.help = "allocated memory of an operation",
		.exact = true, .of_metric = true, .per_op = true},
	[COUNTER_CONTEXT_SWITCHES_PER_OP] = {.name = "context_switches_per_op", .unit = NULL,
		.help = "times that it gave up a CPU or lost it, by operation",
		.of_metric = true, .per_op = true, .derive = context_switches_per_op},
	[COUNTER_WRITE_BYTES_PER_OP] = {.name = "write_bytes_per_op", .unit = "bytes",
		.help = "bytes that write calls took, by operation",
		.exact = true, .of_metric = true, .per_op = true, .derive = write_bytes_per_op},
	[COUNTER_LIMITED_TIME] = {.name = "limited_time", .unit = "ns",
		.help = "time in which the CPU limit of its control group kept it waiting",
		.shown_only = true},
	[COUNTER_LOADER] = {.name = "loader", .unit = NULL,
		.help = "instructions of the dynamic loader ahead of constructors and main, where these "
			"are counted",
		.of_metric = true},
};
/* clang-format on */

int
counter_find(const char *name)
{
	for (int id = 0; id < NCOUNTERS; id++)
		if (strcmp(counter_kinds[id].name, name) == 0)
			return id;
	return -1;
}

double
counter_value(const struct run *run, enum counter_id id)
{
	if (counter_kinds[id].derive)
		return counter_kinds[id].derive(run);
	return run->counters.known >> id & 1 ? run->counters.values[id] : NAN;
}

void
counter_put(struct buf *out, const struct counter_kind *kind, double value)
{
	if (kind->unit && kind->unit[0] && !isnan(value))
		format_cost(out, value, kind->unit);
	else
		format_count(out, value);
}

static bool
is_of_files(const struct profile *profile)
{
	const struct metric *metric =
		profile->metric ? metric_find(strtab_str(&profile->strings, profile->metric))
				: NULL;

	return metric && metric->of_files;
}

const char *
counter_basis(const struct counter_kind *kind, const struct profile *profile)
{
	if ((kind && kind->of_latency) || is_of_files(profile))
		return NULL;
	return kind && kind->per_op ? "operation" : executions_basis(profile);
}

bool
counter_is_known(const struct profile *profile, enum counter_id id)
{
	for (size_t i = 0; i < profile->nruns; i++)
		if (!isnan(counter_value(&profile->runs[i], id)))
			return true;
	return false;
}

void
counter_set(struct run *run, enum counter_id id, double value)
{
	assert(!counter_kinds[id].derive);
	if (!(value >= 0) || !isfinite(value)) {
		run->counters.known &= ~(UINT64_C(1) << id);
		run->counters.values[id] = 0;
		return;
	}
	run->counters.known |= UINT64_C(1) << id;
	run->counters.values[id] = value;
}

void
counter_add(struct run *run, enum counter_id id, double value, unsigned nth)
{
	double before = counter_value(run, id);

	if (nth <= 1)
		counter_set(run, id, value);
	else if (isnan(before) || isnan(value))
		counter_set(run, id, NAN);
	else if (counter_kinds[id].largest)
		counter_set(run, id, value > before ? value : before);
	else
		counter_set(run, id, before + (value - before) / nth);
}

void
counter_set_per_op(struct run *run, const char *metric)
{
	const double operations = counter_value(run, COUNTER_OPERATIONS);
	char name[64];

	snprintf(name, sizeof(name), "%s_per_op", metric);
	const int id = counter_find(name);

	if (id >= 0 && !counter_kinds[id].derive && operations > 0)
		counter_set(run, (enum counter_id)id, run->cost_total / operations);
}

double
executions_of_run(const struct run *run)
{
	return run->executions > 1 ? (double)run->executions : 1;
}

bool
executions_several(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++)
		if (profile->runs[i].executions > 1)
			return true;
	return false;
}

bool
executions_are_iterations(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		if (run->executions > 1 &&
			counter_value(run, COUNTER_OPERATIONS) == (double)run->executions)
			return true;
	}
	return false;
}

const char *
executions_basis(const struct profile *profile)
{
	return is_of_files(profile)                 ? "file"
	       : executions_are_iterations(profile) ? "iteration"
	       : executions_several(profile)        ? "execution"
						    : "run";
}

void
executions_put(const struct profile *profile, size_t first, size_t count, struct buf *out)
{
	double least = INFINITY;
	double most = 1;

	for (size_t i = first; i < first + count; i++) {
		double executions = executions_of_run(&profile->runs[i]);

		least = fmin(least, executions);
		most = fmax(most, executions);
	}
	if (!(most > 1))
		return;
	buf_puts(out, " of ");
	format_count(out, least);
	if (most > least) {
		buf_puts(out, " to ");
		format_count(out, most);
	}
	buf_printf(out, " %ss%s", executions_are_iterations(profile) ? "iteration" : "execution",
		count > 1 && !(most > least) ? " each" : "");
}

void
executions_put_runs(const struct profile *profile, size_t first, size_t count, struct buf *out)
{
	format_plural(out, count, "run", "runs");
	executions_put(profile, first, count, out);
}
