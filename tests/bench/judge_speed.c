/*
 * What judging takes: 10,000 functions, all of them tested, 30 runs on each side, from two profiles
 * to effects corrected for all tests. judge_speed.sh compiles and runs it; prints milliseconds of
 * CPU time, the best of the rounds, for each mode, and fails above the limit.
 *
 * usage: judge_speed ROUNDS LIMIT_MS
 */
#include "compare/adjust.h"
#include "compare/comparison.h"
#include "compare/synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTIONS 10000
#define RUNS 30
/* Functions that one function calls: the tree is some six levels deep. */
#define FAN_OUT 5

static void
add_runs(struct profile *side, struct rng *rng)
{
	node_id *nodes = calloc(FUNCTIONS, sizeof(*nodes));

	profile_init(side);
	for (int run = 0; run < RUNS; run++) {
		size_t column = profile_add_run(side);

		for (int i = 0; i < FUNCTIONS; i++) {
			char name[48];
			int len = snprintf(name, sizeof(name), "library::part_%d::function_%d(int)",
				i % 97, i);
			frame_id frame = profile_frame(side, name, (size_t)len, FRAME_USER);
			node_id parent = i == 0 ? CTREE_ROOT : nodes[(i - 1) / FAN_OUT];

			nodes[i] = ctree_child(&side->tree, parent, frame);
			ctree_add(&side->tree, column, nodes[i], floor(20 * rng_uniform(rng)) + 1);
		}
		side->runs[column].pair = (uint32_t)run + 1;
		side->runs[column].cost_total = 1e9 * (1 + 0.01 * rng_normal(rng));
	}
	free(nodes);
}

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double
best_ms(const struct profile sides[2], enum comparison_mode mode, int rounds)
{
	const struct comparison_options options = {.mode = mode, .alpha = 0.05};
	double best = INFINITY;

	for (int round = 0; round < rounds; round++) {
		struct comparison comparison;
		double start = now_ms();

		comparison_make(&comparison, &sides[0], &sides[1], &options);
		comparison_adjust_alone(&comparison, 0.05);
		best = fmin(best, now_ms() - start);
		comparison_release(&comparison);
	}
	return best;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum comparison_mode mode;
		bool staged;
	} cases[] = {
		{"stored", COMPARISON_STORED, false},
		{"paired", COMPARISON_PAIRED, false},
		{"exact", COMPARISON_EXACT, false},
		{"paired, 15 + 15 of each stage", COMPARISON_PAIRED, true},
	};
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	double limit_ms = argc > 2 ? strtod(argv[2], NULL) : INFINITY;
	struct rng rng = {.state = 1};
	struct profile sides[2];
	int result = 0;

	add_runs(&sides[0], &rng);
	add_runs(&sides[1], &rng);
	printf("%d functions, %d + %d runs, CPU time:\n", FUNCTIONS, RUNS, RUNS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t run = RUNS / 2; run < RUNS; run++)
			sides[0].runs[run].stage = sides[1].runs[run].stage = cases[i].staged;
		double ms = best_ms(sides, cases[i].mode, rounds);

		printf("%-32s %6.0f ms%s\n", cases[i].name, ms, ms > limit_ms ? "  too slow" : "");
		result |= ms > limit_ms;
	}
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return result;
}
