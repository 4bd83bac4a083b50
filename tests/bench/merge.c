/*
 * The shards of a gate as large as a company's: WORKLOADS workloads with ten runs on each side, of
 * 5,000 stacks each. Every tenth workload has a function that takes three times as long. merge.sh
 * compiles and runs it, and merges what it writes: DIR/1.bin, DIR/2.bin ...
 *
 * usage: merge DIR WORKLOADS SHARDS
 */
#include "base/file.h"
#include "compare/synthetic.h"
#include "gate/judge.h"
#include "output/shard_file.h"

#include <stdio.h>
#include <stdlib.h>

#define STACKS 5000
#define FUNCTIONS 1500
#define RUNS 10
/* Functions that one function calls: the tree is some six levels deep. */
#define FAN_OUT 5

/* Samples of stack i: most are rare, and a few hundred have most of the time. */
static double
samples_of(size_t i, struct rng *rng)
{
	double mean = 8000.0 / (double)(i + 8);

	return fmax(0, floor(mean + sqrt(mean) * rng_normal(rng) + 0.5));
}

/* `slower`: the stack that costs three times as much; 0: none. */
static void
add_runs(struct profile *side, size_t slower, struct rng *rng)
{
	node_id *nodes = calloc(STACKS, sizeof(*nodes));

	profile_init(side);
	for (int run = 0; run < RUNS; run++) {
		size_t column = profile_add_run(side);

		for (size_t i = 0; i < STACKS; i++) {
			char name[64];
			size_t function = i * 7 % FUNCTIONS;
			int len = snprintf(name, sizeof(name),
				"library::part_%zu::function_%zu(int)", function % 97, function);
			frame_id frame = profile_frame(side, name, (size_t)len, FRAME_USER);
			node_id parent = i == 0 ? CTREE_ROOT : nodes[(i - 1) / FAN_OUT];
			double samples = samples_of(i, rng);

			nodes[i] = ctree_child(&side->tree, parent, frame);
			ctree_add(&side->tree, column, nodes[i],
				slower > 0 && i == slower ? samples * 3 : samples);
		}
		double total = profile_column_total(side, column);

		side->runs[column] = (struct run){.measured = true,
			.cost_total = total * 1e6,
			.cpu_ns = (uint64_t)(total * 1e6),
			.wall_ns = (uint64_t)(total * 1e6),
			.period = 1000000,
			.expected_samples = total,
			.samples = (uint64_t)total,
			.program_cpus = 1};
	}
	side->event = strtab_intern_str(&side->strings, "cpu-clock");
	side->metric = strtab_intern_str(&side->strings, "cpu");
	side->unit = strtab_intern_str(&side->strings, "samples");
	side->cost_unit = strtab_intern_str(&side->strings, "ns");
	profile_sort(side);
	free(nodes);
}

struct gate {
	struct workload *specs;
	struct shard_entry *entries;
	struct shard_plan plan;
	struct machine machine;
};

static int
write_shard(const struct gate *gate, const char *dir, struct rng *rng)
{
	size_t n = gate->plan.nentries;
	struct judgement *judgements = calloc(n, sizeof(*judgements));
	struct report_workload *workloads = calloc(n, sizeof(*workloads));
	struct profile *sides = calloc(2 * n, sizeof(*sides));
	const struct baseline_info info = {.format_version = 1,
		.event = "cpu-clock",
		.machine_class = "bench",
		.nsessions = 1};
	const struct report_shard shard = {.plan = &gate->plan,
		.command = "profile_run gate",
		.settings = "1",
		.base_commit = ""};
	struct report report = {.tool_version = PROFILE_RUN_VERSION,
		.started = 1795222800,
		.commit = "",
		.command = "profile_run gate",
		.command_options = "profile_run gate",
		.machine = &gate->machine,
		.machine_class = "bench",
		.event_reason = "",
		.pinning = "",
		.workloads = workloads,
		.shard = &shard};
	struct err err = {0};
	char path[4096];

	for (size_t i = 0; i < n; i++) {
		if (gate->entries[i].shard != gate->plan.index)
			continue;
		size_t k = report.nworkloads++;

		add_runs(&sides[2 * k], 0, rng);
		add_runs(&sides[2 * k + 1], i % 10 == 0 ? 1 : 0, rng);
		judgements[k].input = (struct gate_input){.workload = &gate->specs[i],
			.before = &sides[2 * k],
			.before_info = &info,
			.candidate = &sides[2 * k + 1],
			.machine_class = "bench",
			.planned = n};
		workloads[k] = (struct report_workload){
			.judgement = &judgements[k], .folder = gate->specs[i].name};
	}
	snprintf(path, sizeof(path), "%s/%u", dir, gate->plan.index);
	int result = file_make_dirs(path, &err) < 0 ? -1 : shard_file_write(&report, path, &err);

	if (result < 0)
		fprintf(stderr, "merge: %s\n", err.text);
	for (size_t k = 0; k < 2 * report.nworkloads; k++)
		profile_release(&sides[k]);
	free(sides);
	free(workloads);
	free(judgements);
	return result;
}

int
main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned count = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	struct rng rng = {.state = 1};
	int result = 0;

	if (argc != 4 || n == 0 || count == 0)
		return 64;
	struct gate gate = {.specs = calloc(n, sizeof(*gate.specs)),
		.entries = calloc(n, sizeof(*gate.entries))};

	snprintf(gate.machine.cpu_model, sizeof(gate.machine.cpu_model), "bench");
	for (size_t i = 0; i < n; i++) {
		char *name = malloc(32);

		snprintf(name, 32, "workload_%05zu", i);
		gate.specs[i] = (struct workload){.name = name,
			.path = name,
			.summary = "",
			.hash = "1",
			.gate = gate_policy_defaults(),
			.capture = {.metric = "cpu", .runs = RUNS, .max_runs = RUNS}};
		gate.entries[i] = (struct shard_entry){name, (unsigned)(i % count) + 1};
	}
	gate.plan = (struct shard_plan){.count = count, .entries = gate.entries, .nentries = n};
	for (gate.plan.index = 1; result == 0 && gate.plan.index <= count; gate.plan.index++)
		result = write_shard(&gate, argv[1], &rng);
	return result < 0 ? 1 : 0;
}
