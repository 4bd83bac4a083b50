#include "profile/folded_header.h"

#include "base/mem.h"
#include "profile/fields.h"
#include "profile/weights.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a number of samples can hold. */
#define SAMPLES_MAX 9e18

#define SECOND_HEADER "a second header: two files were joined; give each by itself"

bool
folded_number(const char *text, size_t len, double *number)
{
	char copy[64];
	char *end;
	uint64_t whole = 0;
	size_t i = 0;

	for (; i < len && i < 15 && text[i] >= '0' && text[i] <= '9'; i++)
		whole = whole * 10 + (uint64_t)(text[i] - '0');
	if (i == len && len > 0) {
		*number = (double)whole;
		return true;
	}
	if (len == 0 || len >= sizeof(copy) || (text[0] != '.' && !isdigit((unsigned char)text[0])))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*number = strtod(copy, &end);
	return end == copy + len && isfinite(*number) && *number >= 0 && !strpbrk(copy, "xXpP");
}

/* "# key: value": the key's length, 0 if the line is not of that form. */
static size_t
key_len_of(struct line line)
{
	size_t n = 2;

	if (line.len < 5 || line.at[0] != '#' || line.at[1] != ' ')
		return 0;
	while (n < line.len && (islower((unsigned char)line.at[n]) || line.at[n] == '_'))
		n++;
	if (n == 2 || n + 1 >= line.len || line.at[n] != ':' || line.at[n + 1] != ' ')
		return 0;
	return n - 2;
}

static bool
key_is(struct line line, size_t key_len, const char *key)
{
	return strlen(key) == key_len && memcmp(line.at + 2, key, key_len) == 0;
}

/* The field of a profile that a line of that form sets; NULL: none. */
static const struct field *
find_field(struct line line, size_t key_len)
{
	for (const struct field *field = profile_fields; field->name; field++)
		if ((field->files & FIELD_FOLDED) && key_is(line, key_len, field->name))
			return field;
	return NULL;
}

/* After the stacks, a field cannot change what their header said, nor their unit. */
static const char *
set_field(struct folded_header *header, const struct field *field, struct line value)
{
	str_id *known = field_string(field, header->profile);
	const str_id id = strtab_intern(&header->profile->strings, value.at, value.len);
	const bool changes = *known != id && (*known != 0 || strcmp(field->name, "unit") == 0);

	header->has_field = true;
	if (header->ended && changes)
		return "this is not so for the stacks above: two files were joined; give each by itself";
	*known = id;
	return NULL;
}

/* "12 11 14": a number a run. */
static const char *
read_numbers(
	const struct folded_header *header, struct line value, double **numbers, const char **at)
{
	static const char expected[] = "expected a number for each run";
	const char *end = value.at + value.len;
	const char *next = value.at;
	size_t count = 0;

	if (header->ended)
		return SECOND_HEADER;
	free(*numbers);
	*numbers = mem_zalloc(header->nruns, sizeof(**numbers));
	while (next < end) {
		*at = next;
		while (next < end && *next != ' ')
			next++;
		if (count == header->nruns ||
			!folded_number(*at, (size_t)(next - *at), &(*numbers)[count++]))
			return expected;
		next += next < end;
	}
	*at = end;
	return count == header->nruns ? NULL : expected;
}

/* *at is at the value. */
static const char *
read_runs(struct folded_header *header, struct line line, struct line value, const char **at)
{
	double number;

	if (header->ended) {
		*at = line.at;
		return SECOND_HEADER;
	}
	if (!folded_number(value.at, value.len, &number) || number < 1 ||
		number > FOLDED_RUNS_MAX || number != floor(number))
		return "'runs' must be a whole number from 1 to 10000";
	if (header->pair && number != 2)
		return "a difference has 2 runs: before and after";
	if (header->samples || header->effective_samples) {
		*at = line.at;
		return "'runs' must stand before the numbers of samples";
	}
	header->nruns = (size_t)number;
	header->has_runs = header->has_field = true;
	return NULL;
}

const char *
folded_header_take(struct folded_header *header, struct line line, const char **at)
{
	const size_t key_len = key_len_of(line);

	if (key_len == 0)
		return NULL;
	const struct line value = {line.at + key_len + 4, line.len - key_len - 4};
	const struct field *field = find_field(line, key_len);

	*at = value.at;
	if (key_is(line, key_len, "runs"))
		return read_runs(header, line, value, at);
	if (key_is(line, key_len, "frequency"))
		return folded_number(value.at, value.len, &header->profile->frequency_hz)
			       ? NULL
			       : "'frequency' must be a number of hertz";
	if (key_is(line, key_len, "samples") && header->profile->weight != 0)
		return read_numbers(header, value, &header->samples, at);
	if (key_is(line, key_len, "effective_samples") && header->profile->weight != 0)
		return read_numbers(header, value, &header->effective_samples, at);
	return field ? set_field(header, field, value) : NULL;
}

size_t
folded_header_add_runs(const struct folded_header *header)
{
	const size_t first = header->profile->nruns;

	for (size_t i = 0; i < header->nruns; i++)
		profile_add_run(header->profile);
	return first;
}

void
folded_header_set_samples(const struct folded_header *header, size_t first, const double *totals)
{
	const struct profile *profile = header->profile;
	/* For times and sizes the number of samples is not known. */
	const bool counted = weights_are_samples(profile) || weights_are_counted(profile);

	for (size_t i = 0; i < header->nruns; i++) {
		struct run *run = &profile->runs[first + i];
		const double samples = header->samples ? header->samples[i]
				       : counted       ? totals[i]
						       : 0;

		run->samples = (uint64_t)llround(fmin(samples, SAMPLES_MAX));
		if (header->effective_samples)
			run->effective_samples = fmin(header->effective_samples[i], samples);
	}
}

void
folded_header_release(struct folded_header *header)
{
	free(header->samples);
	free(header->effective_samples);
}

/* Weights that are periods do not tell how many samples there are. */
static void
write_samples(const struct profile *profile, bool summed, struct buf *out)
{
	if (!weights_are_periods(profile))
		return;
	buf_puts(out, "# samples:");
	for (size_t i = 0; i < profile->nruns && !summed; i++) {
		buf_putc(out, ' ');
		buf_put_number(out, (double)profile->runs[i].samples);
	}
	if (summed) {
		buf_putc(out, ' ');
		buf_put_number(out, weights_samples_sum(profile));
	}
	buf_puts(out, "\n# effective_samples:");
	for (size_t i = 0; i < profile->nruns && !summed; i++) {
		buf_putc(out, ' ');
		buf_put_number(out, run_effective_samples(&profile->runs[i]));
	}
	if (summed) {
		buf_putc(out, ' ');
		buf_put_number(out, weights_effective_sum(profile));
	}
	buf_putc(out, '\n');
}

/* The fields of some of the files that a profile's fields are for. */
static void
write_fields(const struct profile *profile, unsigned files, struct buf *out)
{
	for (const struct field *field = profile_fields; field->name; field++) {
		str_id id = field->files & files ? *field_string(field, profile) : 0;

		if (id == 0)
			continue;
		buf_printf(out, "# %s: ", field->name);
		for (const char *c = strtab_str(&profile->strings, id); *c; c++)
			buf_putc(out, iscntrl((unsigned char)*c) ? '?' : *c);
		buf_putc(out, '\n');
	}
}

void
folded_header_write(const struct profile *profile, struct buf *out)
{
	buf_printf(out, "# runs: %zu\n", profile->nruns);
	write_fields(profile, FIELD_FOLDED, out);
	write_samples(profile, false, out);
	if (profile->frequency_hz > 0) {
		buf_puts(out, "# frequency: ");
		buf_put_number(out, profile->frequency_hz);
		buf_putc(out, '\n');
	}
}

void
folded_header_write_sum(const struct profile *profile, struct buf *out)
{
	write_fields(profile, FIELD_WEIGHTS, out);
	write_samples(profile, true, out);
}
