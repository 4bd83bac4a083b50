/*
 * Reads and writes logs of HdrHistogram: lines that end in a whole histogram, compressed
 * (latency.h).
 */
#include "profile/latency.h"

#include "base/allowance.h"
#include "base/base64.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

/* Input is constant. */
#define ZLIB_CONST
#include <zlib.h>

/* For one histogram, expanded: of the highest precision, with a byte for each of its counts. */
#define EXPANDED_MAX ((size_t)8 << 20)
/* For all lines: those of a day, a second each, have fewer. */
#define BUCKETS_MAX ((size_t)8 << 20)
#define EXPANDED_ALL_MAX ((size_t)256 << 20)
/* For a log of so many bytes: what has values is packed to a tenth. */
#define EXPANDED_ALL_LEAST ((uint64_t)16 << 20)
#define EXPANDED_RATIO 100
/* For shares of a number. */
#define ROUNDING 1e-12

/*
 * Big-endian, as all numbers but the counts are. Not needed are, behind the length of the counts,
 * the offset of a shifted histogram in memory, as counts are written in order; and at the end the
 * highest value, and a ratio.
 */
struct header {
	uint32_t cookie;
	uint32_t counts_bytes;
	uint32_t digits;
	uint64_t lowest;
};

/* A range of values, and how many of them were recorded. */
struct bucket {
	double top;    /* the largest */
	double middle; /* for the mean */
	double count;
};

/* The buckets of all lines. */
struct buckets {
	struct bucket *all;
	size_t count;
	size_t capacity;
	struct allowance left;  /* bytes of histograms */
	unsigned char *scratch; /* of EXPANDED_MAX bytes */
};

static uint64_t
big_endian(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | *at++;
	return value;
}

/* Expands it into the scratch; false if it is none. */
static bool
expand(struct buckets *buckets, const struct buf *packed, size_t *len)
{
	const unsigned char *bytes = (const unsigned char *)packed->data;
	uLongf expanded = EXPANDED_MAX;

	if (packed->len < 8 || big_endian(bytes, 4) != HDR_COMPRESSED_COOKIE ||
		big_endian(bytes + 4, 4) > packed->len - 8)
		return false;
	if (uncompress(buckets->scratch, &expanded, bytes + 8, (uLong)big_endian(bytes + 4, 4)) !=
		Z_OK)
		return false;
	allowance_take(&buckets->left, expanded);
	*len = expanded;
	return true;
}

static bool
read_header(const unsigned char *at, size_t len, struct header *header)
{
	if (len < HDR_HEADER_BYTES)
		return false;
	*header = (struct header){
		.cookie = (uint32_t)big_endian(at, 4),
		.counts_bytes = (uint32_t)big_endian(at + 4, 4),
		.digits = (uint32_t)big_endian(at + 12, 4),
		.lowest = big_endian(at + 16, 8),
	};
	return header->cookie == HDR_PLAIN_COOKIE && header->digits <= 5 && header->lowest > 0 &&
	       header->counts_bytes <= len - HDR_HEADER_BYTES;
}

/* ZigZag LEB128: the last of nine bytes has eight bits. False if it is not whole. */
static bool
next_count(const unsigned char **at, const unsigned char *end, int64_t *count)
{
	uint64_t value = 0;

	for (unsigned i = 0; *at < end; i++) {
		const unsigned char byte = *(*at)++;

		value |= (uint64_t)(i < 8 ? byte & 0x7f : byte) << 7 * i;
		if (i == 8 || byte < 0x80) {
			*count = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
			return true;
		}
	}
	return false;
}

static unsigned
log2_of(uint64_t value)
{
	unsigned bits = 0;

	while (value >>= 1)
		bits++;
	return bits;
}

/*
 * Values in their first range are apart by the unit, a power of two, and by twice as much in each
 * following one: so many that the digits are kept.
 */
static void
add_bucket(struct buckets *buckets, const struct header *header, uint64_t index, double count)
{
	double largest = 2;

	for (uint32_t i = 0; i < header->digits; i++)
		largest *= 10;
	/* Half of them are in a range: the lower half is the one before. */
	const unsigned half_bits = (unsigned)ceil(log2(largest)) - 1;
	const uint64_t range = index >> half_bits;
	const uint64_t within = index & ((UINT64_C(1) << half_bits) - 1);
	const double unit =
		ldexp(1, (int)log2_of(header->lowest) + (range > 0 ? (int)range - 1 : 0));
	const double start = unit * (double)(within + (range > 0 ? UINT64_C(1) << half_bits : 0));

	buckets->all = mem_grow(
		buckets->all, &buckets->capacity, buckets->count + 1, sizeof(*buckets->all));
	buckets->all[buckets->count++] =
		(struct bucket){start + unit - 1, start + floor(unit / 2), count};
}

/* A negative number is that of empty buckets. */
static bool
add_counts(struct buckets *buckets, size_t len)
{
	struct header header;
	uint64_t index = 0;
	int64_t count;

	if (!read_header(buckets->scratch, len, &header))
		return false;
	const unsigned char *at = buckets->scratch + HDR_HEADER_BYTES;
	const unsigned char *end = at + header.counts_bytes;

	while (at < end) {
		if (!next_count(&at, end, &count) || count == INT64_MIN)
			return false;
		const uint64_t step = count < 0 ? (uint64_t)-count : 1;

		/* None has as many. */
		if (step > EXPANDED_MAX - index)
			return false;
		if (count > 0)
			add_bucket(buckets, &header, index, (double)count);
		index += step;
	}
	return true;
}

static int
by_top(const void *a, const void *b)
{
	const struct bucket *x = a;
	const struct bucket *y = b;

	return (x->top > y->top) - (x->top < y->top);
}

static void
set_values(struct buckets *buckets, double unit_ns, struct latency *latency)
{
	double total = 0;
	double sum = 0;
	double reached = 0;
	size_t next = LATENCY_P50;

	qsort(buckets->all, buckets->count, sizeof(*buckets->all), by_top);
	for (size_t i = 0; i < buckets->count; i++) {
		total += buckets->all[i].count;
		sum += buckets->all[i].count * buckets->all[i].middle;
	}
	latency->values[LATENCY_OPERATIONS] = total;
	latency->values[LATENCY_MEAN] = sum / total * unit_ns;
	for (size_t i = 0; i < buckets->count; i++) {
		reached += buckets->all[i].count;
		for (; next < LATENCY_VALUES &&
			reached >= ceil(latency_ratios[next] * total * (1 - ROUNDING));
			next++)
			latency->values[next] = buckets->all[i].top * unit_ns;
	}
}

/* The next line's payload, which is its last field; false at the end of the text. */
static bool
next_payload(struct latency_text *text, const char **payload, size_t *len)
{
	while (text->at < text->end) {
		const char *line = text->at;
		const char *newline = memchr(line, '\n', (size_t)(text->end - line));
		const char *end = newline ? newline : text->end;
		const char *comma = memrchr(line, ',', (size_t)(end - line));

		text->at = newline ? newline + 1 : text->end;
		*payload = comma ? comma + 1 : line;
		*len = (size_t)(end - *payload);
		if (*len > strlen(HDR_LOG_MARK) &&
			memcmp(*payload, HDR_LOG_MARK, strlen(HDR_LOG_MARK)) == 0)
			return true;
	}
	return false;
}

bool
hdr_log_is(const struct latency_text *text)
{
	struct latency_text copy = *text;
	const char *payload;
	size_t len;

	return next_payload(&copy, &payload, &len);
}

static bool
add_payload(struct buckets *buckets, const char *payload, size_t len)
{
	struct buf packed = {0};
	size_t expanded;

	base64_read(&packed, payload, len);
	const bool good = expand(buckets, &packed, &expanded) && add_counts(buckets, expanded);

	buf_release(&packed);
	return good;
}

int
hdr_log_read(struct latency_text *text)
{
	const double unit_ns = latency_time("1", latency_unit_names[text->source->unit]);
	struct buckets buckets = {.scratch = mem_zalloc(EXPANDED_MAX, 1),
		.left = allowance_of(
			EXPANDED_ALL_LEAST, (uint64_t)(text->end - text->at), EXPANDED_RATIO)};
	const char *payload;
	size_t nlines = 0;
	size_t len;
	int result = 0;

	if (buckets.left.left > EXPANDED_ALL_MAX)
		buckets.left.left = EXPANDED_ALL_MAX;
	while (result == 0 && next_payload(text, &payload, &len)) {
		nlines++;
		if (!add_payload(&buckets, payload, len))
			result = err_set(text->err, ERR_MEASURE,
				"in the latencies, histogram %zu of the log is damaged, or of "
				"another encoding than V2",
				nlines);
		else if (buckets.count > BUCKETS_MAX || allowance_is_used(&buckets.left))
			result = err_set(
				text->err, ERR_MEASURE, "the log of latencies is too large");
	}
	if (result == 0 && buckets.count > 0)
		set_values(&buckets, unit_ns, text->latency);
	else if (result == 0)
		text->latency->values[LATENCY_OPERATIONS] = 0;
	free(buckets.all);
	free(buckets.scratch);
	return result;
}

/* So many values of each power of two are kept apart, half of them above the one before. */
#define RANGE_BITS 11
#define DIGITS 3
#define NS_PER_MS 1e6
/* A larger value does not fit in the index of a count; no operation takes a century. */
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
