/*
 * Holds the stacks of a profile against the truth that the program told.
 *
 * usage: check_stacks TRUTH FOLDED [LEVEL]
 *
 * TRUTH is the output of a program of truth.h, FOLDED the profile of the same run. LEVEL says what
 * the profile can know: "dwarf" (the default; all of it), "names" (dwarf without debug information,
 * so without inlined functions) or "fp" (frame pointers).
 *
 * A stack is true when all of it fits the phase's expression. A stack that is the beginning of a
 * true one is on the way there or back. The rest is wrong, unless it says itself that it is not
 * whole. Prints the counts, the wrong stacks and the shares that are off; exits 1 when a limit is
 * passed.
 */
#include "truth.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PHASES_MAX 128
#define STACKS_MAX 65536
#define LINE_MAX_BYTES 65536
#define TEXT_MAX 4096
#define WRONG_SHOWN 12

/* Functions that are no part of a phase's work: where they are, the phase is on its way. */
#define BOOKKEEPING                                                                                                            \
	"(^|;)(enough|begin_phase|end_phase|start_budget|cpu_ns|children_ns|[^;]*fork|"                                        \
	"[^;]*waitpid|[^;]*wait4|_exit|__libc_fork|(__GI_)?_*(pthread|nptl)_.*|advise_stack_range|_*longjmp.*|_*(sig)?setjmp|" \
	"jumps_back|_dl_[^;]*|_*malloc|_*c?free(@.*)?|dlopen.*|dlsym.*|dlclose.*|_*sigaction|"                                 \
	"(__GI_)?_*sigaltstack|ask_for_signals|__restore_rt|getenv|_*memset_[^;]*|_init|"                                      \
	"std::thread::_State[^;]*::~_State[^;]*)(;|$)"

enum fit {
	FIT_TRUE,
	FIT_WAY,    /* the beginning of a true stack, or bookkeeping */
	FIT_MARKED, /* says that it is not whole */
	FIT_WRONG,
	FIT_COUNT,
};

struct told {
	char name[64];
	double cpu_ns;
	enum truth_needs needs;
	regex_t expression;
	double weight;
	double fits[FIT_COUNT];
};

struct stack {
	char *text; /* frames without the process, the kernel's and suffixes */
	double weight;
	struct told *phase;
	enum fit fit;
};

struct check {
	struct told phases[PHASES_MAX];
	size_t nphases;
	struct stack *stacks;
	size_t nstacks;
	regex_t bookkeeping;
	bool dwarf; /* rows were used, so that every stack has to begin at its start */
	bool inlining;
};

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "check_stacks: %s: %s\n", what, why);
	exit(2);
}

static void
compile(regex_t *expression, const char *text)
{
	char why[256];
	int status = regcomp(expression, text, REG_EXTENDED | REG_NOSUB);

	if (status != 0) {
		regerror(status, expression, why, sizeof(why));
		die(text, why);
	}
}

static void
read_truth(struct check *check, const char *path)
{
	static char line[LINE_MAX_BYTES];
	FILE *file = fopen(path, "r");

	if (!file)
		die(path, strerror(errno));
	while (fgets(line, sizeof(line), file) && check->nphases < PHASES_MAX) {
		struct told *told = &check->phases[check->nphases++];
		char *rest = NULL;
		char whole[TEXT_MAX];
		const char *name = strtok_r(line, "\t", &rest);
		const char *cpu = strtok_r(NULL, "\t", &rest);
		const char *needs = strtok_r(NULL, "\t", &rest);
		const char *stacks = strtok_r(NULL, "\n", &rest);

		if (!stacks)
			die(path, "is no truth");
		snprintf(told->name, sizeof(told->name), "%s", name);
		told->cpu_ns = strtod(cpu, NULL);
		told->needs = (enum truth_needs)strtol(needs, NULL, 10);
		/* With frame pointers whatever lies before main is left open. */
		if (stacks[0] == '^')
			snprintf(whole, sizeof(whole), "%s$", stacks);
		else
			snprintf(whole, sizeof(whole), "^%smain;(%s)$",
				check->dwarf ? "_start;([^;]*libc[^;]*;){0,3}" : "([^;]+;)*",
				stacks);
		compile(&told->expression, whole);
	}
	fclose(file);
}

static bool
ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* The length of a name without what compilers append to the names of a function's parts. */
static size_t
plain_length(const char *name, size_t len)
{
	static const char *const parts[] = {".cold", ".part.0", ".isra.0", ".constprop.0"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (ends_with(name, len, parts[i]))
			return plain_length(name, len - strlen(parts[i]));
	return len;
}

/* Copies the frames, without the kernel's and without suffixes. */
static char *
plain_frames(const char *frames)
{
	char *text = calloc(1, strlen(frames) + 1);
	size_t at = 0;

	if (!text)
		die("memory", "is exhausted");
	while (*frames) {
		size_t len = strcspn(frames, ";");
		const char *next = frames + len + (frames[len] == ';');
		bool kernel = ends_with(frames, len, "_[k]");

		if (ends_with(frames, len, "_[i]") || ends_with(frames, len, "_[j]"))
			len -= 4;
		len = plain_length(frames, len);
		if (!kernel) {
			if (at > 0)
				text[at++] = ';';
			memcpy(text + at, frames, len);
			at += len;
		}
		frames = next;
	}
	return text;
}

static struct told *
find_phase(struct check *check, const char *name, size_t len)
{
	for (size_t i = 0; i < check->nphases; i++)
		if (strlen(check->phases[i].name) == len &&
			memcmp(check->phases[i].name, name, len) == 0)
			return &check->phases[i];
	return NULL;
}

static void
read_folded(struct check *check, const char *path)
{
	static char line[LINE_MAX_BYTES];
	FILE *file = fopen(path, "r");

	if (!file)
		die(path, strerror(errno));
	check->stacks = calloc(STACKS_MAX, sizeof(*check->stacks));
	if (!check->stacks)
		die("memory", "is exhausted");
	while (fgets(line, sizeof(line), file)) {
		char *space = strrchr(line, ' ');
		size_t comm = strcspn(line, ";");
		struct told *phase = find_phase(check, line, comm);

		if (line[0] == '#' || !space || !phase)
			continue;
		if (check->nstacks == STACKS_MAX)
			die(path, "has too many stacks");
		*space = '\0';
		struct stack *stack = &check->stacks[check->nstacks++];

		stack->phase = phase;
		stack->weight = strtod(space + 1, NULL);
		stack->text = plain_frames(line[comm] ? line + comm + 1 : line + comm);
	}
	fclose(file);
}

/* Whether another stack of the phase is true and begins with this one. */
static bool
is_beginning(const struct check *check, const struct stack *stack)
{
	size_t len = strlen(stack->text);

	for (size_t i = 0; i < check->nstacks; i++) {
		const struct stack *other = &check->stacks[i];

		if (other->phase == stack->phase && other->fit == FIT_TRUE &&
			strncmp(other->text, stack->text, len) == 0 && other->text[len] == ';')
			return true;
	}
	return len == 0;
}

static void
judge(struct check *check)
{
	for (size_t i = 0; i < check->nstacks; i++) {
		struct stack *stack = &check->stacks[i];

		assert(stack->phase);
		bool fits = regexec(&stack->phase->expression, stack->text, 0, NULL, 0) == 0;

		stack->fit = fits ? FIT_TRUE : FIT_WRONG;
	}
	for (size_t i = 0; i < check->nstacks; i++) {
		struct stack *stack = &check->stacks[i];

		assert(stack->phase);
		if (stack->fit == FIT_WRONG && strncmp(stack->text, "[broken]", 8) == 0)
			stack->fit = FIT_MARKED;
		else if (stack->fit == FIT_WRONG && strncmp(stack->text, "[truncated]", 11) == 0)
			stack->fit = FIT_MARKED;
		else if (stack->fit == FIT_WRONG &&
			 (is_beginning(check, stack) ||
				 regexec(&check->bookkeeping, stack->text, 0, NULL, 0) == 0))
			stack->fit = FIT_WAY;
		stack->phase->fits[stack->fit] += stack->weight;
		stack->phase->weight += stack->weight;
	}
}

static bool
is_judged(const struct check *check, const struct told *phase)
{
	switch (phase->needs) {
	case NEEDS_NOTHING:
		return true;
	case NEEDS_DWARF:
	case NEEDS_MARK:
		return check->dwarf;
	case NEEDS_DEBUG_INFO:
		return check->inlining;
	}
	return false;
}

static int
compare_stacks(const void *a, const void *b)
{
	const struct stack *first = a;
	const struct stack *second = b;

	return (first->weight < second->weight) - (first->weight > second->weight);
}

static void
show_stacks(struct check *check)
{
	size_t shown = 0;

	qsort(check->stacks, check->nstacks, sizeof(*check->stacks), compare_stacks);
	for (size_t i = 0; i < check->nstacks && shown < WRONG_SHOWN; i++) {
		const struct stack *stack = &check->stacks[i];

		if (stack->fit < FIT_MARKED || !is_judged(check, stack->phase))
			continue;
		printf("  %s %g  %s: %.1500s\n", stack->fit == FIT_WRONG ? "wrong" : "marked",
			stack->weight, stack->phase->name, stack->text);
		shown++;
	}
}

/*
 * Whether each phase has its share of the samples, within four standard errors of a binomial and
 * 2 % of the whole, since CPU time is lost to other programs while a phase begins and ends.
 */
static size_t
check_shares(const struct check *check)
{
	double weight = 0;
	double cpu_ns = 0;
	size_t off = 0;

	for (size_t i = 0; i < check->nphases; i++) {
		weight += check->phases[i].weight;
		cpu_ns += check->phases[i].cpu_ns;
	}
	for (size_t i = 0; i < check->nphases; i++) {
		const struct told *phase = &check->phases[i];
		double share = phase->cpu_ns / cpu_ns;
		double error = 4 * sqrt(share * (1 - share) / weight) + 0.02;

		if (weight > 0 && fabs(phase->weight / weight - share) <= error)
			continue;
		printf("  share of %s: %.2f %%, expected %.2f +- %.2f\n", phase->name,
			100 * phase->weight / weight, 100 * share, 100 * error);
		off++;
	}
	return off;
}

int
main(int argc, char **argv)
{
	const char *level = argc > 3 ? argv[3] : "dwarf";
	struct check check = {
		.dwarf = strcmp(level, "fp") != 0,
		.inlining = strcmp(level, "dwarf") == 0,
	};
	/* A frame pointer is not set up yet, or not any more, at a function's ends: the caller is
	   missing from such samples. */
	double wrong_limit = check.dwarf ? 0 : 0.2;
	double fits[FIT_COUNT] = {0};
	double judged = 0;

	if (argc < 3)
		die("usage", "check_stacks TRUTH FOLDED [dwarf|names|fp]");
	compile(&check.bookkeeping, BOOKKEEPING);
	read_truth(&check, argv[1]);
	read_folded(&check, argv[2]);
	judge(&check);

	for (size_t i = 0; i < check.nphases; i++) {
		const struct told *phase = &check.phases[i];

		for (int fit = 0; fit < FIT_COUNT && is_judged(&check, phase); fit++)
			fits[fit] += phase->fits[fit];
		if (getenv("VERBOSE"))
			printf("  %-16s true %g way %g marked %g wrong %g\n", phase->name,
				phase->fits[FIT_TRUE], phase->fits[FIT_WAY],
				phase->fits[FIT_MARKED], phase->fits[FIT_WRONG]);
	}
	for (int fit = 0; fit < FIT_COUNT; fit++)
		judged += fits[fit];
	printf("%g samples: %g true, %g on the way, %g marked, %g wrong\n", judged, fits[FIT_TRUE],
		fits[FIT_WAY], fits[FIT_MARKED], fits[FIT_WRONG]);
	show_stacks(&check);

	size_t off = check_shares(&check);
	bool good = off == 0 && judged > 0 && fits[FIT_WRONG] <= wrong_limit * judged &&
		    fits[FIT_MARKED] <= (check.dwarf ? 4 + 0.002 * judged : judged) &&
		    fits[FIT_WAY] <= 0.08 * judged;

	return good ? 0 : 1;
}
