/*
 * Paired gates drawn from runs that were really taken: each draws pairs of runs without
 * replacement and judges them block by block until they decide, as a gate does. gate_rates.sh
 * compiles and runs it.
 *
 * usage: gate_pool WORKLOAD FUNCTION PAIRS GATES SEED
 *
 * PAIRS is a file with a line a run, base and head alternately: FOLDED CPU_NS WALL_NS PERIOD
 * EXPECTED SAMPLES. With FUNCTION "-" the two sides are of one program: which of a pair is the base
 * is drawn as well, so that the pool as a whole knows no difference. Else it is counted how often
 * FUNCTION fails, and as the first finding. Prints "GATES PASS WARN INCONCLUSIVE FAIL NAMED FIRST
 * LONGER", LONGER being those that the first block of pairs did not decide. No gate takes more than
 * the pool has.
 */
#include "base/mem.h"
#include "compare/synthetic.h"
#include "gate/simulated_gate.h"
#include "profile/folded.h"

#include <stdio.h>
#include <stdlib.h>

#define CONFIG_PATH "config/profile_run.yaml"
struct pool {
	struct profile *runs; /* a column each; 2 i is the base of pair i, 2 i + 1 the head */
	size_t nruns;
	size_t npairs;
	size_t *order; /* pairs, as they are drawn */
};

struct counts {
	size_t gates[STATUS_ERROR + 1];
	size_t named;
	size_t first;
	size_t longer;
};

/* One gate in the making. */
struct drawn {
	const struct pool *pool;
	struct rng *rng;
	bool swaps; /* which of a pair is the base is drawn, too */
	struct baseline base;
	struct profile head;
	size_t next; /* of the order */
};

static int
read_run(struct profile *profile, const char *line, struct err *err)
{
	struct run values = {.measured = true};
	struct file_view view;
	char path[4096];
	double cpu;
	double wall;
	double period;
	double samples;

	if (sscanf(line, "%4095s %lf %lf %lf %lf %lf", path, &cpu, &wall, &period,
		    &values.expected_samples, &samples) != 6)
		return err_set(err, ERR_USAGE, "not six words: '%s'", line);
	if (file_view_open(&view, path, err) < 0)
		return -1;
	int result = folded_read_view(profile, path, &view, err);

	file_view_close(&view);
	values.cost_total = cpu;
	values.cpu_ns = (uint64_t)cpu;
	values.wall_ns = (uint64_t)wall;
	values.period = (uint64_t)period;
	values.samples = (uint64_t)samples;
	if (result == 0)
		profile->runs[0] = values;
	return result;
}

static int
read_pool(struct pool *pool, const char *path, struct err *err)
{
	FILE *file = fopen(path, "r");
	size_t capacity = 0;
	char line[8192];
	int result = 0;

	if (!file)
		return err_set(err, ERR_USAGE, "%s cannot be opened", path);
	while (result == 0 && fgets(line, sizeof(line), file)) {
		pool->runs = mem_grow(pool->runs, &capacity, pool->nruns + 1, sizeof(*pool->runs));
		profile_init(&pool->runs[pool->nruns]);
		result = read_run(&pool->runs[pool->nruns++], line, err);
	}
	fclose(file);
	pool->npairs = pool->nruns / 2;
	pool->order = mem_zalloc(pool->npairs, sizeof(*pool->order));
	for (size_t i = 0; i < pool->npairs; i++)
		pool->order[i] = i;
	return result;
}

static void
pool_release(struct pool *pool)
{
	for (size_t i = 0; i < pool->nruns; i++)
		profile_release(&pool->runs[i]);
	free(pool->runs);
	free(pool->order);
}

static void
shuffle(struct pool *pool, struct rng *rng)
{
	for (size_t i = pool->npairs; i > 1; i--) {
		size_t k = rng_next(rng) % i;
		size_t other = pool->order[k];

		pool->order[k] = pool->order[i - 1];
		pool->order[i - 1] = other;
	}
}

static void
add_run(struct profile *side, const struct profile *run, size_t pair, uint32_t stage)
{
	size_t column = profile_append(side, run);

	side->runs[column].pair = (uint32_t)pair + 1;
	side->runs[column].stage = stage;
}

static unsigned
draw(void *context, size_t workload, int stage, unsigned count)
{
	struct drawn *gate = context;
	unsigned drawn = 0;

	(void)workload;
	for (; drawn < count && gate->next < gate->pool->npairs; drawn++, gate->next++) {
		const struct profile *pair = &gate->pool->runs[2 * gate->pool->order[gate->next]];
		size_t swapped = gate->swaps && rng_next(gate->rng) >> 63;

		add_run(&gate->base.profile, &pair[swapped], gate->next, (uint32_t)stage);
		add_run(&gate->head, &pair[!swapped], gate->next, (uint32_t)stage);
	}
	return drawn;
}

static void
count_gate(struct counts *counts, const struct verdict *verdict, const char *function)
{
	counts->gates[verdict->status]++;
	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->status == STATUS_FAIL && strcmp(finding->subject, function) == 0 &&
			finding->rule == FINDING_FUNCTIONS) {
			counts->named++;
			counts->first += i == 0;
		}
	}
}

static void
one_gate(struct counts *counts, struct pool *pool, const struct workload *workload,
	const char *function, struct rng *rng)
{
	struct gate_policy policy =
		gate_policy_resolve(&workload->gate, &workload->overlays, GATE_PAIRED, false, NULL);
	struct drawn gate = {
		.pool = pool,
		.rng = rng,
		.swaps = strcmp(function, "-") == 0,
		.base.info.nsessions = 1,
	};
	struct judgement judgement = {.input = {.workload = workload,
					      .policy = &policy,
					      .mode = GATE_PAIRED,
					      .candidate = &gate.head,
					      .before = &gate.base.profile,
					      .before_info = &gate.base.info,
					      .against = "the other runs",
					      .may_confirm = true,
					      .machine_class = "",
					      .program_hash = ""}};
	const size_t most = workload->capture.max_runs;
	struct simulated_workload simulated = {
		.judgement = &judgement,
		.plan = {.wanted = {workload->capture.runs},
			.most = (unsigned)(most < pool->npairs ? most : pool->npairs)},
	};
	const struct simulated_gate simulation = {
		.workloads = &simulated, .nworkloads = 1, .draw = draw, .context = &gate};

	snprintf(gate.base.info.event, sizeof(gate.base.info.event), "cpu-clock");
	profile_init(&gate.base.profile);
	profile_init(&gate.head);
	shuffle(pool, rng);
	run_plan_use_looks(&simulated.plan, &policy);
	simulated_gate_run(&simulation);
	counts->longer += simulated.plan.looks.count > 1;
	count_gate(counts, &judgement.verdict, function);
	judgement_release(&judgement);
	profile_release(&gate.base.profile);
	profile_release(&gate.head);
}

static int
draw_gates(struct pool *pool, const struct workload *workload, char **argv, struct err *err)
{
	struct rng rng = {.state = strtoull(argv[5], NULL, 10)};
	size_t ngates = strtoul(argv[4], NULL, 10);
	struct counts counts = {0};

	if (pool->npairs < workload->capture.runs)
		return err_set(err, ERR_USAGE, "%zu pairs are too few", pool->npairs);
	for (size_t i = 0; i < ngates; i++)
		one_gate(&counts, pool, workload, argv[2], &rng);
	printf("%zu %zu %zu %zu %zu %zu %zu %zu\n", ngates, counts.gates[STATUS_PASS],
		counts.gates[STATUS_WARN], counts.gates[STATUS_INCONCLUSIVE],
		counts.gates[STATUS_FAIL], counts.named, counts.first, counts.longer);
	return 0;
}

static int
run(char **argv, struct err *err)
{
	const char *name = argv[1];
	struct workload_list list = {0};
	struct pool pool = {0};
	struct config config;

	config_init(&config);
	int result = config_read(&config, CONFIG_PATH, err);

	if (result == 0)
		result = workload_list_read(&list, &name, 1, &config, err);
	if (result == 0)
		result = read_pool(&pool, argv[3], err);
	if (result == 0)
		result = draw_gates(&pool, &list.workloads[0], argv, err);
	pool_release(&pool);
	if (list.workloads)
		workload_list_release(&list);
	config_release(&config);
	return result;
}

int
main(int argc, char **argv)
{
	struct err err = {0};

	if (argc != 6)
		return 64;
	if (run(argv, &err) == 0)
		return 0;
	fprintf(stderr, "gate_pool: %s\n", err.text);
	return 2;
}
