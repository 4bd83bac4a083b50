/*
 * The third step of a gate, and the one place that gives a status: a pure function of a test with
 * its effects, limits and evidence, and of the criteria of its workload.
 *
 * Growth, in two stages: tests that the first runs flag are measured again, and the new runs
 * decide.
 *
 * flagged: significant after Holm over all that the gate tests (at twice alpha, since it only
 * chooses what is measured again), and the estimate is above fail_at.
 *
 * fail: flagged, and in the new runs significant after Holm over all that was flagged, with an
 * estimate above fail_at; strict: all of its interval above fail_at, as if it were the only test.
 * With one stage, flagged is fail, at alpha.
 *
 * A test that did not fail is decided by its new runs if it was flagged, else by all runs.
 *
 * pass: it costs less after than the floor of the whole cost before.
 *
 * warn: significant after Holm, and the estimate is warn_at or more.
 *
 * inconclusive: flagged, and no new runs could be taken; or the estimate is at the threshold or
 * above, and not significant; or the threshold does not lie above the interval, as it is shown
 * (tests_set_upper_end()).
 *
 * pass: none of these: growth of the threshold is excluded; or counts that are the same in every
 * run of a side, and whose growth is the threshold itself.
 *
 * An inconclusive test is decided by instructions, where these were counted and tell: fail if they
 * grew by more than fail_at, warn if by warn_at or more, pass if they are the same within
 * CAUSES_SAME_WORK and so is the code. A growth that time shows stays time's to judge: the same
 * work may have become slower.
 *
 * Against a stored baseline, a growth of disturbed runs is inconclusive where load may explain it
 * (load_weigh_growth()), and then decided by instructions, too.
 *
 * Interval, p and the detectable change include the spread between sessions. The policy then limits
 * the status of a growth. A failure becomes inconclusive where runs of the base differ among
 * themselves, and a warning where its causes show that the cost only moved there, or is due to
 * layout. A new function has nothing to be compared with; it fails only where its callers grew. A
 * waiver that accepts the growth makes it a pass.
 */
#ifndef GATE_DECIDE_H
#define GATE_DECIDE_H

#include "gate/judgement.h"

/* Whether the first stage sends the test to the second (in one stage: whether it would fail). */
bool decide_flags(const struct test *test, const struct criteria *criteria);

struct decision decide(const struct test *test, const struct criteria *criteria);

#endif
