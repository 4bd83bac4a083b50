/*
 * The results of `calibrate`, as text and for programs. Plain data, filled in by commands/.
 */
#ifndef OUTPUT_CALIBRATION_REPORT_H
#define OUTPUT_CALIBRATION_REPORT_H

#include "base/buf.h"
#include "compare/calibration.h"
#include "gate/advice.h"
#include "gate/rehearsal.h"
#include "output/report.h"

#include <stddef.h>
#include <stdint.h>

struct calibrated_workload {
	const struct workload *workload;
	const char *error; /* why it could not be calibrated; NULL: all that follows is valid */
	/* All pairs, judged at one look. */
	const struct judgement *judgement;
	struct calibration_noise noise;
	struct calibration_dispersion dispersion;
	struct power power;
	struct advice advice;
	const struct rehearsal_tally *rehearsal; /* NULL: not simulated */
	unsigned gate_runs;                      /* that a gate plans */
};

struct calibration_report {
	struct report about; /* the gate without its workloads: where, when and how */
	double rehearsal_s;  /* of all simulated gates */
	uint64_t seed;
	const struct rehearsal *rehearsal;
	struct calibrated_workload *workloads;
	size_t nworkloads;
};

/* For a console. */
void calibration_put_text(const struct calibration_report *report, struct buf *out);
/* One JSON object; the manual page says what its keys are. */
void calibration_put_json(const struct calibration_report *report, struct buf *out);

/*
 * For one workload, after `indent` spaces: where its uncertainty comes from, a line each; settings
 * as YAML; and the sentence that says what a gate detects with them.
 */
void advice_put_text(const struct calibrated_workload *workload, size_t indent, struct buf *out);
void advice_put_sentence(
	const struct calibrated_workload *workload, size_t indent, struct buf *out);
void advice_put_yaml(const struct calibrated_workload *workload, size_t indent, struct buf *out);

#endif
