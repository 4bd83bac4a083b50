/*
 * Whether other load on the machine explains a growth, in gates against a stored baseline.
 *
 * It matters which side was disturbed. Load makes runs slower, so that a baseline of disturbed runs
 * costs too much: a candidate measured without load that is slower still, by plain costs as well as
 * relative to the stable rest, is slower indeed. The growth is then at least what is shown, and it
 * fails as if nothing had been disturbed.
 *
 * Disturbed runs of the candidate can explain a growth, but not any: where the lower limit of its
 * own interval lies far above what the rest of the program shows (compare/rest_spread.h), with two
 * standard errors to spare, it fails.
 * Only metrics of CPU time are judged so: load makes waits and latencies longer without limit.
 */
#ifndef GATE_MACHINE_LOAD_H
#define GATE_MACHINE_LOAD_H

#include "gate/judgement.h"

/* Sets test->load of a test of growth from the comparison, where runs were disturbed. */
void load_weigh_test(const struct judgement *judgement, struct test *test);

/* Whether runs of a side are known to have been disturbed. */
bool load_is_known(const struct criteria *criteria);

/*
 * Whether load explains the growth of a test that would fail or be measured again, by the effect
 * that decides the test; for a new function, by the effect of its callers.
 */
enum load_weighed load_weigh_growth(const struct test *test, const struct criteria *criteria);

#endif
