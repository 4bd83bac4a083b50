/*
 * Parts of index.html, shared between the page and the sections of its workloads.
 */
#ifndef OUTPUT_HTML_H
#define OUTPUT_HTML_H

#include "base/buf.h"
#include "output/report.h"

/* Text as HTML, lines kept. */
void html_text(struct buf *out, const char *text);
/* A function's name, shortened where it would fill the page; verdict.json has it whole. */
void html_name(struct buf *out, const char *name);
/* The coloured word of a status. */
void html_status(struct buf *out, enum status status);
/* The section of one workload: findings, picture, functions, runs. */
void html_workload(const struct report_workload *workload, struct buf *out);

#endif
