/*
 * The outputs themselves, each defined in the file that makes it; only output.c lists them.
 */
#ifndef OUTPUT_OUTPUTS_H
#define OUTPUT_OUTPUTS_H

#include "output/output.h"

extern const struct report_output output_json;
extern const struct report_output output_junit;
extern const struct report_output output_text;
extern const struct report_output output_markdown;
extern const struct report_output output_html;

extern const struct workload_output output_replay;
extern const struct workload_output output_workload_text;

#endif
