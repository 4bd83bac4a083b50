/* Runs the trials, measures the pace of the machine, and runs each list of parts. */
#include "machine/probe.h"

#include "base/clock.h"
#include "base/sort.h"
#include "machine/disturb.h"
#include "perf_event/events.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

static const char *const trial_events[NTRIALS] = {
	[TRIAL_CYCLES] = "cycles",
	[TRIAL_INSTRUCTIONS] = "instructions",
	[TRIAL_CPU_CLOCK] = "cpu-clock",
	[TRIAL_TASK_CLOCK] = "task-clock",
};

void
probe_conclude(struct probe_result *result, enum probe_status status, const char *meaning,
	const char *remedy)
{
	result->status = status;
	SAY(result->meaning, "%s", meaning);
	if (status != PROBE_OK && remedy)
		SAY(result->remedy, "%s", remedy);
}

/* Pieces of work of about 3 ms each. */
#define PIECES 50
#define PIECE_ROUNDS 2000000

static void
work_piece(void)
{
	volatile uint64_t state = 1;

	for (unsigned i = 0; i < PIECE_ROUNDS; i++)
		state = state * 6364136223846793005U + 1;
}

/* NAN where there is no telling. */
static double
others_share(const struct busy_times busy[2], double own_ns, double wall_ns)
{
	double all = wall_ns * busy[0].cpus;

	if (busy[0].cpus == 0 || busy[0].cpus != busy[1].cpus)
		return NAN;
	double rest = (double)(busy[1].idle_ns + busy[1].steal_ns) -
		      (double)(busy[0].idle_ns + busy[0].steal_ns);

	return fmax(0, (all - rest - own_ns) / all);
}

static double
steal_share(const struct busy_times *from, const struct busy_times *to)
{
	int64_t all = to->all_ns - from->all_ns;

	return all > 0 ? (double)(to->steal_ns - from->steal_ns) / (double)all : 0;
}

/* Measures the pace of this machine: some 150 ms. */
static void
take_pace(struct probe_pace *pace)
{
	double pieces[PIECES];
	struct busy_times busy[2];
	cpu_set_t cpus;
	const cpu_set_t *const sets[] = {&cpus};

	busy_cpus("", &cpus);
	work_piece(); /* the clock of an idle CPU rises only under load */
	busy_times_read("", sets, 1, &busy[0]);
	uint64_t wall_ns = clock_ns();
	uint64_t start = clock_own_cpu_ns();

	for (size_t i = 0; i < PIECES; i++) {
		uint64_t before = clock_own_cpu_ns();

		work_piece();
		pieces[i] = (double)(clock_own_cpu_ns() - before);
	}
	busy_times_read("", sets, 1, &busy[1]);
	double own_ns = (double)(clock_own_cpu_ns() - start);
	double wall = (double)(clock_ns() - wall_ns);

	pace->cpu_share = own_ns / wall;
	pace->others_share = others_share(busy, own_ns, wall);
	pace->steal_before = steal_share(&(struct busy_times){0}, &busy[0]);
	pace->steal_share = steal_share(&busy[0], &busy[1]);
	sort_numbers(pieces, PIECES);
	pace->spread = (pieces[PIECES * 9 / 10] - pieces[PIECES / 10]) / pieces[PIECES / 2];
}

size_t
probe_machine(struct probe_result *results, size_t max, const struct probe_part *counting)
{
	const struct probe_part *const lists[] = {
		probe_sampling_parts, counting, probe_system_parts, probe_noise_parts};
	struct probe_context context = {.root = ""};
	size_t n = 0;

	for (size_t i = 0; i < NTRIALS; i++)
		trial_run(event_kind_find(trial_events[i]), &context.trials[i]);
	const struct trial *best = probe_best_trial(&context);

	trial_stacks(event_kind_find(trial_events[best - context.trials]), best, &context.stacks);
	take_pace(&context.pace);
	for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
		for (const struct probe_part *part = lists[list]; part->name && n < max; part++) {
			results[n] = (struct probe_result){.name = part->name};
			part->run(&context, &results[n++]);
		}
	}
	return n;
}
