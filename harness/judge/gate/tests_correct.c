/* The correction of the tests of all workloads of a gate for their number. */
#include "gate/tests.h"

#include "base/mem.h"
#include "compare/adjust.h"
#include "gate/decide.h"

#include <math.h>
#include <stdlib.h>

static void
set_upper_end(struct effect *effect, double asked, double alpha)
{
	if (!effect || !effect->tested || effect_is_exact(effect) || !(effect->change < asked))
		return;
	const double high = model_upper_limit(effect, alpha);

	effect->high = effect->high < 0 ? high : fmax(0, high);
}

void
tests_set_upper_end(const struct test *test, double alpha)
{
	if (!test_is_corrected(test))
		return;
	set_upper_end(test->all, test->limits.asked, alpha);
	for (int stage = 0; stage < COMPARISON_STAGES; stage++)
		set_upper_end(test->stages[stage], test->limits.asked, alpha);
}

static void
set_upper_ends(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++)
		tests_set_upper_end(&judgement->tests[i], judgement->criteria.alpha);
}

/* The tests that share an error budget. */
struct family {
	struct effect **effects;
	size_t count;
	size_t capacity;
};

static void
family_add(struct family *family, struct effect *effect)
{
	if (!effect->tested)
		return;
	family->effects = mem_grow(
		family->effects, &family->capacity, family->count + 1, sizeof(struct effect *));
	family->effects[family->count++] = effect;
}

/*
 * Returns how many tests it was corrected for: `here` of them are here. They have this part of
 * alpha.
 */
static size_t
family_adjust(struct family *family, double here, double alpha, struct comparison_parts parts)
{
	size_t elsewhere = (size_t)ceil((double)family->count * (1 / here - 1));

	comparison_adjust_part(family->effects, family->count, elsewhere, alpha, parts);
	free(family->effects);
	return family->count + elsewhere;
}

static void
add_first_tests(const struct judgement *judgement, struct family *all, struct family *screen)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];
		struct effect *first = test->stages[COMPARISON_SCREEN];

		if (!test_is_corrected(test))
			continue;
		family_add(all, test->all);
		family_add(screen, first ? first : test->all);
	}
}

static void
add_second_tests(const struct judgement *judgement, struct family *confirm)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		test->flagged = test_is_corrected(test) && decide_flags(test, &judgement->criteria);
		if (test_is_confirmed(test))
			family_add(confirm, test->stages[COMPARISON_CONFIRM]);
	}
}

/* For how many workloads one that has looks has its part of alpha. */
static size_t
families_of(const struct judgement *judgement, size_t nworkloads)
{
	const size_t chosen = judgement->input.screen.nworkloads;

	return chosen > 0 ? chosen : nworkloads;
}

/*
 * The tests of one workload, which has its part of alpha, of which this look has a part. Those that
 * passed the screen cannot fail, and are corrected by themselves.
 */
static void
correct_by_looks(struct judgement *judgement, size_t nworkloads, double alpha)
{
	struct family tested = {0};
	struct family screened = {0};
	const size_t nfamilies = families_of(judgement, nworkloads);
	const struct comparison_parts parts = {
		.test = judgement->criteria.part / (double)nfamilies,
		.rest = looks_rest(&judgement->input.looks) / (double)nfamilies,
	};

	judgement->criteria.nfamilies = nfamilies;
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		if (test_is_corrected(test))
			family_add(test->screened ? &screened : &tested, test->all);
	}
	family_adjust(&screened, 1, alpha, parts);
	judgement->nflagging = family_adjust(&tested, 1, alpha, parts);
	judgement->ncorrected[COMPARISON_SCREEN] = judgement->nflagging;
	judgement->ncorrected[COMPARISON_CONFIRM] = 0;
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		test->flagged = test_is_corrected(test) && !test->screened &&
				decide_flags(test, &judgement->criteria);
	}
}

/* The parts of alpha left to the tests of first runs, and to those of confirming ones. */
struct stage_parts {
	double first;
	double confirm;
};

/* Corrects the tests of all others, which have the rest of alpha together. */
static void
correct_by_stages(struct judgement *const *judgements, size_t njudgements, double here,
	double alpha, struct stage_parts part)
{
	struct family all = {0};
	struct family screen = {0};
	struct family confirm = {0};
	const struct comparison_parts parts = {part.first, part.first};
	const struct comparison_parts fresh = {part.confirm, part.confirm};

	for (size_t i = 0; i < njudgements; i++) {
		if (!judgements[i]->criteria.by_looks)
			add_first_tests(judgements[i], &all, &screen);
	}
	size_t nall = family_adjust(&all, here, alpha, parts);
	size_t nflagging = family_adjust(&screen, 1, alpha, parts);

	for (size_t i = 0; i < njudgements; i++) {
		if (!judgements[i]->criteria.by_looks)
			add_second_tests(judgements[i], &confirm);
	}
	size_t nconfirm = family_adjust(&confirm, here, alpha, fresh);

	for (size_t i = 0; i < njudgements; i++) {
		if (judgements[i]->criteria.by_looks)
			continue;
		judgements[i]->nflagging = nflagging;
		judgements[i]->ncorrected[COMPARISON_SCREEN] = nall;
		judgements[i]->ncorrected[COMPARISON_CONFIRM] = nconfirm;
	}
}

void
tests_correct(struct judgement *const *judgements, size_t njudgements)
{
	double alpha = 1;
	double here = 1;
	size_t nworkloads = njudgements;
	size_t nlooks = 0;
	size_t nchosen = 0;

	for (size_t i = 0; i < njudgements; i++) {
		const size_t planned = judgements[i]->input.planned;

		alpha = fmin(alpha, judgement_policy(judgements[i])->alpha);
		if (planned > njudgements)
			here = fmin(here, (double)njudgements / (double)planned);
		nworkloads = planned > nworkloads ? planned : nworkloads;
		nlooks += judgements[i]->criteria.by_looks;
		if (judgements[i]->input.screen.nworkloads > nchosen)
			nchosen = judgements[i]->input.screen.nworkloads;
	}
	for (size_t i = 0; i < njudgements; i++) {
		if (judgements[i]->criteria.by_looks)
			correct_by_looks(judgements[i], nworkloads, alpha);
	}
	struct stage_parts part = {.first = 1 - (double)nlooks / (double)nworkloads};

	/* Where pairs test all that was chosen, nothing is measured again alone. */
	part.confirm = nchosen > nlooks ? 1 - (double)nlooks / (double)nchosen : part.first;
	if (nlooks < njudgements)
		correct_by_stages(judgements, njudgements, here, alpha, part);
	for (size_t i = 0; i < njudgements; i++)
		set_upper_ends(judgements[i]);
}
