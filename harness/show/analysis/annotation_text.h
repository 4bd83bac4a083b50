/*
 * The source lines of one function with the weight of each, and below them their instructions that
 * have weight; of two profiles, with the difference.
 */
#ifndef ANALYSIS_ANNOTATION_TEXT_H
#define ANALYSIS_ANNOTATION_TEXT_H

#include "analysis/annotation.h"
#include "base/buf.h"

void annotation_write(const struct annotation_rows *rows, struct buf *out);

#endif
