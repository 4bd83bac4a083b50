/*
 * The shards of a gate as large as a company's: WORKLOADS workloads with ten runs on each side, of
 * 5,000 stacks each. Every tenth workload has a function that takes three times as long. merge.sh
 * compiles and runs it, and merges what it writes: DIR/1/shard.bin, DIR/2/shard.bin ...
 *
 * usage: merge DIR WORKLOADS SHARDS
 */
#include "output/large_gate.h"

int
main(int argc, char **argv)
{
	struct large_gate gate = {
		.nworkloads = argc > 2 ? strtoul(argv[2], NULL, 10) : 0,
		.nshards = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0,
		.nstacks = 5000,
		.nfunctions = 1500,
		.runs = 10,
		.slow_every = 10,
	};
	struct err err = {0};

	if (argc != 4 || gate.nworkloads == 0 || gate.nshards == 0)
		return 64;
	if (large_gate_write(&gate, argv[1], &err) == 0)
		return 0;
	fprintf(stderr, "merge: %s\n", err.text);
	return 1;
}
