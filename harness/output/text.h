/*
 * report.txt of one workload's verdict: shared by the gate's report and the workload's own.
 */
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "base/buf.h"
#include "output/report.h"

/*
 * Appends name, status, what it was held against and its findings, each with its sentence, reason
 * and source; findings that pass are counted only.
 */
void text_workload(const struct report_workload *workload, struct buf *out);
/* Appends `text` wrapped to 100 columns, every line after `indent` spaces. */
void text_wrap(struct buf *out, const char *text, size_t indent);
/* Appends, as "  name    value" lines, what both sides ran on. */
void text_environment(const struct report *report, struct buf *out);

#endif
