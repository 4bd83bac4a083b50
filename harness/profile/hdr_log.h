/*
 * Logs of HdrHistogram: lines that end in a whole histogram, compressed.
 *
 * Source: AbstractHistogram.java (V2 encoding, ZigZagEncoding.java) and HistogramLogReader.java of
 * github.com/HdrHistogram/HdrHistogram, in the public domain.
 */
#ifndef PROFILE_HDR_LOG_H
#define PROFILE_HDR_LOG_H

#include "profile/latency_internal.h"

/* Whether the rest of the text has such lines. */
bool hdr_log_is(const struct latency_text *text);

/*
 * Reads the rest of the text: the histograms of all lines as one, whatever their tags. Quantiles
 * are the largest values that count as equal, as HdrHistogram gives them.
 */
int hdr_log_read(struct latency_text *text);

#endif
