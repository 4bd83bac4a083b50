/*
 * The report of a gate that was measured and judged, and the plans of one that is only planned.
 */
#ifndef GATE_GATE_REPORT_H
#define GATE_GATE_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_rounds.h"

/*
 * Writes all files of the report into `draft`, which will be `folder`; captures that are evidence
 * for no finding are removed from it. The text of the verdict is appended to `text`, verdict.json
 * to `json`, unless these are NULL.
 */
int gate_write_report(struct gate_rounds *rounds, const char *draft, const char *folder,
	int *exit_code, struct buf *text, struct buf *json, struct err *err);

/* Appends the plans of the workloads to `text`; as JSON, or also as a file, where that is wanted.
 */
int gate_put_plans(const struct gate_rounds *rounds, struct buf *text, struct err *err);

#endif
