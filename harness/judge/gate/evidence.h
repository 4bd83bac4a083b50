/*
 * Evidence beside the runs, for tests that were decided by the runs alone: the causes of a growth,
 * counted instructions, and whether the change reaches the code of the subject. The tests are then
 * decided again (decide.h).
 */
#ifndef GATE_EVIDENCE_H
#define GATE_EVIDENCE_H

#include "gate/judgement.h"

#include <stdbool.h>

/* Whether the state of the machine code can help to explain or to decide a test. */
bool judgement_wants_code(const struct judgement *judgement);
/* Whether counted instructions can decide a test that time left undecided. */
bool judgement_wants_instructions(const struct judgement *judgement);

/*
 * The states of the machine code: as given with the input, else from the files that both sides ran.
 * NULL: not known.
 */
const struct code_states *evidence_code(struct judgement *judgement);

/* Sets evidence.work of the tests that are undecided. */
void evidence_find_work(struct judgement *judgement);
/*
 * Sets evidence.unreachable of the undecided functions that the change does not reach, so that
 * nothing waits for them, and of the whole program where the functions that the change reaches do
 * not explain its growth. Data that differ reach all code.
 */
void evidence_find_reach(struct judgement *judgement);
/*
 * Sets evidence.causes, and evidence.callers of new functions, of the tests whose growth is to be
 * explained. `by_instructions`: only of those that instructions decided, and that have no causes
 * yet.
 */
void evidence_find_causes(struct judgement *judgement, bool by_instructions);

/*
 * The causes of a function's growth where none were searched when it was judged, as of one that is
 * a finding because of the whole program: those that the comparison and the code tell. NULL: it did
 * not grow. All of it is in `arena`.
 */
const struct causes *evidence_late_causes(
	const struct judgement *judgement, frame_id frame, struct arena *arena);

#endif
