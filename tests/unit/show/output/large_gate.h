/*
 * The shards of a gate of many workloads: two sides of runs each, of stacks with realistic numbers
 * of samples, written as `gate --shard` writes them.
 */
#ifndef UNIT_OUTPUT_LARGE_GATE_H
#define UNIT_OUTPUT_LARGE_GATE_H

#include "base/file.h"
#include "base/mem.h"
#include "compare/synthetic.h"
#include "gate/judge.h"
#include "output/shard_file.h"

#include <stdio.h>
#include <stdlib.h>

struct large_gate {
	size_t nworkloads;
	unsigned nshards;
	size_t nstacks;
	size_t nfunctions;
	unsigned runs; /* a side */
	/* In each so many workloads a function takes three times as long; 0: in none. */
	size_t slow_every;
};

/* Functions that one function calls: the tree is some six levels deep. */
#define LARGE_GATE_FAN_OUT 5

/* Samples of stack i: most are rare, and a few hundred have most of the time. */
static inline double
large_gate_samples(size_t i, struct rng *rng)
{
	double mean = 8000.0 / (double)(i + 8);

	return fmax(0, floor(mean + sqrt(mean) * rng_normal(rng) + 0.5));
}

/* `slower`: the stack that costs three times as much; 0: none. */
static inline void
large_gate_measure(
	const struct large_gate *gate, struct profile *side, size_t slower, struct rng *rng)
{
	node_id *nodes = mem_zalloc(gate->nstacks, sizeof(*nodes));

	profile_init(side);
	for (unsigned run = 0; run < gate->runs; run++) {
		size_t column = profile_add_run(side);

		for (size_t i = 0; i < gate->nstacks; i++) {
			char name[64];
			size_t function = i * 7 % gate->nfunctions;
			int len = snprintf(name, sizeof(name),
				"library::part_%zu::function_%zu(int)", function % 97, function);
			frame_id frame = profile_frame(side, name, (size_t)len, FRAME_USER);
			node_id parent = i == 0 ? CTREE_ROOT : nodes[(i - 1) / LARGE_GATE_FAN_OUT];
			double samples = large_gate_samples(i, rng);

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

/* For the plan's shard, into a folder that is there. */
static inline int
large_gate_write_shard(const struct large_gate *gate, const struct workload *specs,
	const struct shard_plan *plan, const char *folder, struct rng *rng, struct err *err)
{
	size_t n = plan->nentries;
	struct judgement *judgements = mem_zalloc(n, sizeof(*judgements));
	struct report_workload *workloads = mem_zalloc(n, sizeof(*workloads));
	struct profile *sides = mem_zalloc(2 * n, sizeof(*sides));
	struct machine machine = {.cpu_model = "bench"};
	const struct baseline_info info = {.format_version = 1,
		.event = "cpu-clock",
		.machine_class = "bench",
		.nsessions = 1};
	const struct report_shard shard = {
		.plan = plan, .command = "profile_run gate", .settings = "1", .base_commit = ""};
	struct report report = {.tool_version = PROFILE_RUN_VERSION,
		.started = 1795222800,
		.commit = "",
		.command = "profile_run gate",
		.command_options = "profile_run gate",
		.machine = &machine,
		.machine_class = "bench",
		.event_reason = "",
		.pinning = "",
		.workloads = workloads,
		.shard = &shard};

	for (size_t i = 0; i < n; i++) {
		if (plan->entries[i].shard != plan->index)
			continue;
		size_t k = report.nworkloads++;
		bool is_slower = gate->slow_every > 0 && i % gate->slow_every == 0;

		large_gate_measure(gate, &sides[2 * k], 0, rng);
		large_gate_measure(gate, &sides[2 * k + 1], is_slower ? 1 : 0, rng);
		judgements[k].input = (struct gate_input){.workload = &specs[i],
			.before = &sides[2 * k],
			.before_info = &info,
			.candidate = &sides[2 * k + 1],
			.machine_class = "bench",
			.planned = n};
		workloads[k] = (struct report_workload){
			.judgement = &judgements[k], .folder = specs[i].name};
	}
	int result = shard_file_write(&report, folder, err);

	for (size_t k = 0; k < 2 * report.nworkloads; k++)
		profile_release(&sides[k]);
	free(sides);
	free(workloads);
	free(judgements);
	return result;
}

/* Writes DIR/1/shard.bin, DIR/2/shard.bin ...; the same bytes each time. */
static inline int
large_gate_write(const struct large_gate *gate, const char *dir, struct err *err)
{
	size_t n = gate->nworkloads;
	struct workload *specs = mem_zalloc(n, sizeof(*specs));
	struct shard_entry *entries = mem_zalloc(n, sizeof(*entries));
	char(*names)[32] = mem_zalloc(n, sizeof(*names));
	struct shard_plan plan = {.count = gate->nshards, .entries = entries, .nentries = n};
	struct rng rng = {.state = 1};
	int result = 0;

	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "workload_%05zu", i);
		specs[i] = (struct workload){.name = names[i],
			.path = names[i],
			.summary = "",
			.hash = "1",
			.gate = gate_policy_defaults(),
			.capture = {.metric = "cpu", .runs = gate->runs, .max_runs = gate->runs}};
		entries[i] = (struct shard_entry){names[i], (unsigned)(i % gate->nshards) + 1};
	}
	for (plan.index = 1; result == 0 && plan.index <= plan.count; plan.index++) {
		char *folder = mem_printf("%s/%u", dir, plan.index);

		result = file_make_dirs(folder, err);
		if (result == 0)
			result = large_gate_write_shard(gate, specs, &plan, folder, &rng, err);
		free(folder);
	}
	free(names);
	free(entries);
	free(specs);
	return result;
}

#endif
