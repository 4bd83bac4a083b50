/*
 * How a mixed fleet is judged: simulated gates of jobs that get any of six machines (fleet.h),
 * against a baseline of one of them, on the whole way to a verdict: the plan by machine class, the
 * stored screen, pairs, and counts of what pairs leave undecided. fleet_rates.sh compiles and runs
 * it.
 *
 * usage: fleet_rates GATES [SEED [SEEDS [PART]]]
 */
#include "gate/paired_bench.h"
#include "gate/simulated_gate.h"

#include "fleet.h"
#include "rates.h"

#include <stdio.h>
#include <stdlib.h>

#define SESSIONS 3
#define RUNS 10
#define MOST_RUNS 30
/*
 * Of counting a program that takes 0.2 s, which is repeated to runs of a second: 30 times as long.
 */
#define COUNT_SECONDS 6
/* Spread of functions between days on one machine, SD of the logarithm. */
#define DAYS 0.01

/* The way to the verdict. */
enum path {
	PATH_STORED, /* the candidate alone against stored runs */
	PATH_PAIRS,
	PATH_COUNTS, /* and of pairs, of which there may be few */
	PATHS,
};

/* What a gate failed by; of several findings by the first of these. */
enum failed_by {
	BY_COUNTS,
	BY_EARLY_LOOK, /* of pairs, whose interval is above the threshold */
	BY_LAST_LOOK,
	FAILED_BY,
};

struct condition {
	const char *name;
	double growth; /* of the changed function: 1 for none */
	bool counts;   /* valgrind is there */
	bool fine;     /* the policy asks for 5 % of functions in all modes: fleet_policy() */
	bool budget;   /* there is time for all of max_runs */
	bool compiler; /* the machine code of all functions is changed, else of one */
};

/* Gates by status, by the path that decided, and those whose first finding is the function. */
struct tally {
	size_t gates;
	size_t status[STATUS_ERROR + 1];
	size_t coarse; /* that warn as the measurement is too coarse */
	size_t path[PATHS];
	size_t failed_by[FAILED_BY];
	size_t named;
	size_t of_baseline_class;
};

struct gate {
	struct rng *rng;
	struct fleet_program program;
	struct fleet_job job;
	struct paired_bench bench;
	struct screen screen;
	struct arena arena; /* of the screen */
	const struct condition *condition;
	double factor[SYNTHETIC_MAX]; /* of the machine, load and session, without the growth */
	double grown[SYNTHETIC_MAX];
};

/*
 * The defaults of the mode; or `fine`, what a regression of 10 % in 5 % of a program needs, which
 * the defaults let pass: 5 % of functions and of the program, and a floor of 0.4 % of the program.
 */
static struct gate_policy
fleet_policy(enum gate_mode mode, bool fine)
{
	static const struct threshold low = {.warn = 0.03, .fail = 0.05};
	struct gate_policy policy = synthetic_policy();

	if (fine || mode == GATE_PAIRED)
		policy.functions = policy.total = low;
	if (fine)
		policy.floor = 0.004;
	policy.strict = mode == GATE_STORED;
	policy.decide = DECIDE_AUTO;
	return policy;
}

/* The stored screen: true if it leaves nothing to pairs. */
static bool
passes_screen(struct gate *gate, enum status *status)
{
	struct synthetic_gate *stored = calloc(1, sizeof(*stored));
	const struct fleet_job first = {.load = 0};
	double before[SYNTHETIC_MAX];
	double after[SYNTHETIC_MAX];

	synthetic_gate_init(stored, 1);
	fleet_factors(&gate->program, &first, 1, before);
	fleet_factors(&gate->program, &gate->job, gate->condition->growth, after);
	stored->before =
		(struct synthetic_side){.nruns = RUNS, .session_noise = DAYS, .factor = before};
	stored->after = (struct synthetic_side){
		.nruns = RUNS, .session_noise = DAYS, .factor = after, .load = gate->job.load};
	struct workload *workload = &stored->workloads[0];
	struct judgement *judgement = &stored->judgements[0];
	struct baseline *baseline = &stored->baselines[0];
	const struct synthetic there = fleet_on_kernel(&gate->program, 0);
	const struct synthetic here = fleet_on_kernel(&gate->program, gate->job.kernel);

	workload->gate = fleet_policy(GATE_STORED, gate->condition->fine);
	workload->capture.max_runs = MOST_RUNS;
	profile_init(&baseline->profile);
	for (uint32_t session = 0; session < SESSIONS; session++) {
		stored->before.session = session;
		synthetic_add(&baseline->profile, &there, &stored->before, gate->rng);
	}
	profile_init(&stored->candidates[0]);
	synthetic_add(&stored->candidates[0], &here, &stored->after, gate->rng);
	*judgement = (struct judgement){
		.input =
			{
				.workload = workload,
				.mode = GATE_STORED,
				.may_confirm = true,
				.candidate = &stored->candidates[0],
				.before = &baseline->profile,
				.before_info = &baseline->info,
				.machine_class = "x86_64-test",
			},
	};
	judge_gate(&judgement, 1, status);
	screen_take(&gate->screen, &judgement->verdict, &gate->arena);
	gate->screen.nworkloads = 1;
	synthetic_gate_release(stored);
	free(stored);
	return gate->screen.nsubjects == 0;
}

static unsigned
draw_pairs(void *context, size_t workload, int stage, unsigned count)
{
	struct gate *gate = context;

	(void)workload;
	return paired_bench_draw(&gate->bench, stage, count, gate->grown, gate->rng);
}

/* The program on this machine beside this load: what both sides of its pairs have in common. */
static struct synthetic
program_here(struct gate *gate)
{
	struct synthetic s = fleet_on_kernel(&gate->program, gate->job.kernel);
	double sum = 0;

	fleet_factors(&gate->program, &gate->job, 1, gate->factor);
	for (size_t i = 0; i < s.nfunctions; i++) {
		s.share[i] *=
			gate->factor[i] * synthetic_slowdown(gate->job.load, s.waits[i], gate->rng);
		s.noise[i] = gate->job.load * (0.01 + 0.06 * s.waits[i]);
		gate->grown[i] = i == gate->program.changed ? gate->condition->growth : 1;
		sum += i == gate->program.changed ? 0 : s.share[i];
	}
	/* The changed function has its part on this machine, too. */
	s.share[gate->program.changed] = sum * FLEET_CHANGED / (1 - FLEET_CHANGED);
	s.run_noise = 0.018 + 0.06 * gate->job.load;
	return s;
}

/* Of one function, or of all: a change of the compiler. */
static void
read_code(void *context, size_t workload)
{
	struct gate *gate = context;
	const struct code_states *code = &gate->bench.code;

	(void)workload;
	paired_bench_read_code(&gate->bench, gate->program.changed);
	for (size_t i = 1; i < code->nframes && gate->condition->compiler; i++)
		code->by_frame[i] = CODE_CHANGED;
}

static void
count_instructions(void *context, size_t workload)
{
	struct gate *gate = context;

	(void)workload;
	paired_bench_count(&gate->bench, gate->grown);
}

/* Pairs of the rebuilt base and the candidate, and counts. */
static enum status
judge_pairs(struct gate *gate, enum path *path)
{
	const struct synthetic here = program_here(gate);
	struct judgement *judgement = &gate->bench.judgement;
	struct simulated_workload workload = {.judgement = judgement,
		.plan = {.wanted = {RUNS}, .most = MOST_RUNS},
		.count_seconds = COUNT_SECONDS};
	const struct simulated_gate simulated = {.workloads = &workload,
		.nworkloads = 1,
		.draw = draw_pairs,
		.code = read_code,
		.count = gate->condition->counts ? count_instructions : NULL,
		.context = gate,
		.default_time = !gate->condition->budget};

	paired_bench_init(&gate->bench, &here, 0, NULL);
	gate->bench.policy = fleet_policy(GATE_PAIRED, gate->condition->fine);
	paired_bench_prepare(&gate->bench);
	judgement->input.may_confirm = true;
	judgement->input.screen = gate->screen;
	run_plan_use_looks(&workload.plan, &gate->bench.policy);
	const enum status status = simulated_gate_run(&simulated);

	*path = workload.counted ? PATH_COUNTS : PATH_PAIRS;
	return status;
}

static enum failed_by
failed_by(const struct judgement *judgement)
{
	const struct verdict *verdict = &judgement->verdict;

	for (size_t i = 0; i < verdict->nall; i++) {
		if (verdict->findings[i].status == STATUS_FAIL &&
			verdict->findings[i].by_instructions)
			return BY_COUNTS;
	}
	return judgement->criteria.early ? BY_EARLY_LOOK : BY_LAST_LOOK;
}

static void
add(struct tally *tally, const struct gate *gate, enum status status, enum path path)
{
	char changed[8];
	const struct verdict *verdict = &gate->bench.judgement.verdict;

	tally->gates++;
	tally->status[status]++;
	tally->coarse += status == STATUS_WARN && path != PATH_STORED && verdict_find_open(verdict);
	tally->path[path]++;
	if (status == STATUS_FAIL)
		tally->failed_by[failed_by(&gate->bench.judgement)]++;
	tally->of_baseline_class += gate->job.model == 0;
	tally->named += path != PATH_STORED && verdict->nfindings > 0 &&
			verdict->findings[0].status == STATUS_FAIL &&
			strcmp(verdict->findings[0].subject,
				synthetic_name(gate->program.changed, changed)) == 0;
}

static void
one_gate(const struct condition *condition, struct rng *rng, struct tally *tally)
{
	struct gate *gate = calloc(1, sizeof(*gate));
	enum path path = PATH_STORED;
	enum status status = STATUS_PASS;

	gate->rng = rng;
	gate->condition = condition;
	gate->program = fleet_program_draw(rng);
	gate->job = fleet_job_draw(rng);
	/* Another class of machines is not judged by stored times. */
	const bool decided = gate->job.model == 0 && passes_screen(gate, &status);

	if (!decided)
		status = judge_pairs(gate, &path);
	add(tally, gate, status, path);
	if (!decided)
		paired_bench_release(&gate->bench);
	arena_release(&gate->arena);
	free(gate);
}

/*
 * What is promised where counts can be had. Gates that warn as the measurement is too coarse are
 * undecided, too.
 */
static bool
keeps_promise(const struct condition *condition, const struct tally *tally)
{
	const size_t undecided = tally->status[STATUS_INCONCLUSIVE] + tally->coarse;

	if (!condition->counts || condition->compiler)
		return true;
	if (condition->growth > 1)
		return 100 * tally->status[STATUS_FAIL] >= 95 * tally->gates;
	return tally->status[STATUS_FAIL] == 0 && 100 * undecided < 5 * tally->gates;
}

static void
put_line(const struct condition *condition, const struct tally *tally)
{
	const size_t *status = tally->status;

	printf("%s | %zu | %zu | %zu | ", condition->name, tally->gates, status[STATUS_PASS],
		status[STATUS_WARN] - tally->coarse);
	rates_put(tally->coarse, tally->gates);
	printf(" | ");
	rates_put(status[STATUS_INCONCLUSIVE], tally->gates);
	printf(" | ");
	rates_put(status[STATUS_FAIL], tally->gates);
	printf(" | %zu, %zu, %zu | %zu | %zu | %zu, %zu, %zu\n", tally->failed_by[BY_COUNTS],
		tally->failed_by[BY_EARLY_LOOK], tally->failed_by[BY_LAST_LOOK], tally->named,
		tally->of_baseline_class, tally->path[PATH_STORED], tally->path[PATH_PAIRS],
		tally->path[PATH_COUNTS]);
	fflush(stdout);
}

static const struct condition conditions[] = {
	{"unchanged, default policy", .growth = 1, .counts = true},
	{"unchanged, fine policy", .growth = 1, .counts = true, .fine = true},
	{"unchanged, fine policy and budget", .growth = 1, .counts = true, .fine = true,
		.budget = true},
	{"unchanged, default policy, no valgrind", .growth = 1},
	{"unchanged, fine policy, no valgrind", .growth = 1, .fine = true},
	{"unchanged, another compiler, default policy", .growth = 1, .counts = true,
		.compiler = true},
	{"unchanged, another compiler, fine policy, no valgrind", .growth = 1, .fine = true,
		.compiler = true},
	{"5 % of the program 10 % slower, fine policy", .growth = 1.1, .counts = true,
		.fine = true},
	{"5 % of the program 10 % slower, fine policy and budget", .growth = 1.1, .counts = true,
		.fine = true, .budget = true},
	{"5 % of the program 10 % slower, fine policy, no valgrind", .growth = 1.1, .fine = true},
};

int
main(int argc, char **argv)
{
	const size_t ngates = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 42;
	const size_t nseeds = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	const char *part = argc > 4 ? argv[4] : "";
	bool kept = true;

	if (ngates == 0 || nseeds == 0)
		return 64;
	printf("condition | gates | pass | warn | too coarse | undecided | fail | "
	       "failed by counts, an early look, the last look | named first | "
	       "of the baseline's class | decided by the screen, pairs, counts\n");
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		struct tally tally = {0};

		if (!strstr(conditions[i].name, part))
			continue;
		for (size_t k = 0; k < nseeds; k++) {
			struct rng rng = {.state = seed + k};

			for (size_t gate = 0; gate < ngates; gate++)
				one_gate(&conditions[i], &rng, &tally);
		}
		put_line(&conditions[i], &tally);
		kept = kept && keeps_promise(&conditions[i], &tally);
	}
	return kept ? 0 : 1;
}
