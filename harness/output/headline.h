/*
 * The sentences that every output opens with: the gate's verdict, and each workload's.
 * What they append is plain text; the names in it are not yet escaped.
 */
#ifndef OUTPUT_HEADLINE_H
#define OUTPUT_HEADLINE_H

#include "base/buf.h"
#include "output/report.h"

#include <stdbool.h>

/* A workload is judged as ERROR where it could not be measured, whatever its verdict says. */
enum status headline_status(const struct judgement *judgement);

/* "1 of 9 workloads fails: cjson_parse". */
void headline_gate(const struct report *report, struct buf *out);
/* The severest finding in one line, or what could have been seen. */
void headline_workload(const struct judgement *judgement, struct buf *out);
/* How much was tested, and how small an effect could have been seen. */
void headline_power(const struct verdict *verdict, struct buf *out);
/* "parse_value (self): +7.2 % [4.9, 9.6]  p 4e-4  could see 5.9 %". */
void headline_finding(const struct finding *finding, struct buf *out);
/*
 * Whether a person wants to read of this finding: everything but what passed without more to say,
 * and the measurement that failed, whose error is shown as a text of its own.
 */
bool headline_tells(const struct judgement *judgement, const struct finding *finding);
/* What the workload was held against: "stored baseline of ..., commit ..., 10 runs". */
void headline_baseline(const struct judgement *judgement, struct buf *out);
/* What it is called: "the baseline", "the base" of a pair, "the profiles before". */
const char *headline_other_side(const struct judgement *judgement);

#endif
