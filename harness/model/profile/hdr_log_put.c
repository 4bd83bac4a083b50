#include "profile/hdr_log.h"

#include "base/escape.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

/* So many values of each power of two are kept apart, half of them above the one before. */
#define RANGE_BITS 11
#define DIGITS 3
#define NS_PER_MS 1e6
/* What fits in the index of a count; no operation takes a century. */
#define NS_MAX 4e18

static void
put_big_endian(struct buf *out, uint64_t value, unsigned bytes)
{
	while (bytes-- > 0)
		buf_putc(out, (char)(value >> 8 * bytes));
}

/* ZigZag LEB128: the last of nine bytes has eight bits. */
static void
put_count(struct buf *out, int64_t count)
{
	uint64_t value = (uint64_t)count << 1 ^ (count < 0 ? UINT64_MAX : 0);

	for (unsigned i = 0; i < 8 && value >= 0x80; i++, value >>= 7)
		buf_putc(out, (char)(value | 0x80));
	buf_putc(out, (char)value);
}

static uint64_t
index_of(uint64_t value)
{
	const uint64_t least = (UINT64_C(1) << RANGE_BITS) - 1;
	const unsigned range = 64 - RANGE_BITS - (unsigned)__builtin_clzll(value | least);

	return ((uint64_t)range << (RANGE_BITS - 1)) + (value >> range);
}

static uint64_t
whole_ns(double ns)
{
	return ns > 0 ? (uint64_t)llround(fmin(ns, NS_MAX)) : 0;
}

/* For each index in turn how many times are there; those without any are a negative number. */
static void
put_counts(const double *times, size_t count, struct buf *out)
{
	uint64_t next = 0;

	for (size_t i = 0; i < count;) {
		const uint64_t index = index_of(whole_ns(times[i]));
		const size_t first = i;

		while (i < count && index_of(whole_ns(times[i])) == index)
			i++;
		if (index - next > 1)
			put_count(out, -(int64_t)(index - next));
		else if (index > next)
			put_count(out, 0);
		put_count(out, (int64_t)(i - first));
		next = index + 1;
	}
}

static void
put_histogram(const double *times, size_t count, struct buf *out)
{
	const uint64_t largest = count > 0 ? whole_ns(times[count - 1]) : 0;
	const double ratio = 1;
	uint64_t ratio_bits;
	struct buf counts = {0};

	memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
	put_counts(times, count, &counts);
	put_big_endian(out, HDR_PLAIN_COOKIE, 4);
	put_big_endian(out, counts.len, 4);
	put_big_endian(out, 0, 4);
	put_big_endian(out, DIGITS, 4);
	put_big_endian(out, 1, 8);
	put_big_endian(out, largest > 2 ? largest : 2, 8);
	put_big_endian(out, ratio_bits, 8);
	buf_put(out, counts.data, counts.len);
	buf_release(&counts);
}

static void
put_payload(const struct buf *histogram, struct buf *out)
{
	uLongf len = compressBound((uLong)histogram->len);
	struct buf packed = {0};

	buf_put_zeros(&packed, len);
	compress((Bytef *)packed.data, &len, (const Bytef *)histogram->data, (uLong)histogram->len);

	struct buf whole = {0};

	put_big_endian(&whole, HDR_COMPRESSED_COOKIE, 4);
	put_big_endian(&whole, len, 4);
	buf_put(&whole, packed.data, len);
	base64_put(out, whole.data, whole.len);
	buf_release(&whole);
	buf_release(&packed);
}

void
hdr_log_put(double *times, size_t count, const struct hdr_interval *interval, struct buf *out)
{
	struct buf histogram = {0};

	sort_numbers(times, count);
	put_histogram(times, count, &histogram);
	buf_puts(out, "#[Histogram log format version 1.3]\n");
	if (interval->started > 0) {
		char date[32];
		const time_t started = (time_t)interval->started;
		struct tm parts;

		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &parts));
		buf_printf(out, "#[StartTime: %lld.000 (seconds since epoch), %s]\n",
			(long long)interval->started, date);
	}
	buf_puts(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		      "\"Interval_Compressed_Histogram\"\n");
	buf_printf(out, "0.000,%.3f,%.3f,", interval->length_s,
		count > 0 ? times[count - 1] / NS_PER_MS : 0.0);
	put_payload(&histogram, out);
	buf_putc(out, '\n');
	buf_release(&histogram);
}
