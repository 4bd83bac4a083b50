/*
 * Logs of HdrHistogram: lines that end in a whole histogram, compressed.
 *
 * Source: AbstractHistogram.java (V2 encoding, ZigZagEncoding.java) and HistogramLogReader.java of
 * github.com/HdrHistogram/HdrHistogram, in the public domain.
 */
#ifndef PROFILE_HDR_LOG_H
#define PROFILE_HDR_LOG_H

#include "base/buf.h"
#include "profile/latency_internal.h"

#include <stdint.h>

/* What the line's payload begins with, in base64; it is a compressed histogram, which is another.
 */
#define HDR_LOG_MARK "HIST"
#define HDR_COMPRESSED_COOKIE UINT32_C(0x1c849314)
#define HDR_PLAIN_COOKIE UINT32_C(0x1c849313)
#define HDR_HEADER_BYTES 40

/* What a log is of, beside its values. */
struct hdr_interval {
	int64_t started; /* seconds since 1970 UTC; 0: not known */
	double length_s;
};

/*
 * Appends a log of one line: the histogram of these times in ns, which it sorts, to three digits.
 */
void hdr_log_put(double *times, size_t count, const struct hdr_interval *interval, struct buf *out);

/* Whether the rest of the text has such lines. */
bool hdr_log_is(const struct latency_text *text);

/*
 * Reads the rest of the text: the histograms of all lines as one, whatever their tags. Quantiles
 * are the largest values that count as equal, as HdrHistogram gives them.
 */
int hdr_log_read(struct latency_text *text);

#endif
