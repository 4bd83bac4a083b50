#include "history/time_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Larger numbers are of the next smaller unit: seconds until the year 5138. */
#define EPOCH_SECONDS_MAX 1e11
#define EPOCH_STEP 1e3
#define EPOCH_UNITS 4

bool
history_epoch(double number, int64_t *seconds)
{
	for (int i = 0; i < EPOCH_UNITS; i++, number /= EPOCH_STEP) {
		if (number >= 1 && number < EPOCH_SECONDS_MAX) {
			*seconds = (int64_t)number;
			return true;
		}
	}
	return false;
}

/* The offset from UTC behind a time, "Z", "+02", "+0200", "+02:00" or " UTC", in seconds. */
static bool
read_zone(const char *text, int *offset)
{
	int hours;
	int minutes = 0;
	int end = 0;

	*offset = 0;
	while (*text == ' ')
		text++;
	if (*text == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0)
		return true;
	if (*text != '+' && *text != '-')
		return false;
	if (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &end) < 2 &&
		sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &end) < 2 &&
		sscanf(text + 1, "%2d%n", &hours, &end) < 1)
		return false;
	*offset = (hours * 60 + minutes) * (*text == '-' ? -60 : 60);
	return text[1 + end] == '\0' && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60;
}

static bool
read_date(const char *text, int64_t *seconds)
{
	struct tm utc = {0};
	const char *rest = strptime(text, "%Y-%m-%d", &utc);
	int offset;

	if (!rest)
		return false;
	const int day = utc.tm_mday;

	if (*rest == 'T' || (*rest == ' ' && isdigit((unsigned char)rest[1]))) {
		const char *minute = strptime(rest + 1, "%H:%M", &utc);
		const char *second = minute ? strptime(minute, ":%S", &utc) : NULL;

		rest = second ? second : minute;
		if (second && *rest == '.')
			rest += 1 + strspn(rest + 1, "0123456789");
	}
	if (!rest || !read_zone(rest, &offset))
		return false;
	*seconds = timegm(&utc);
	/* A day that does not exist, such as the 31st of June, has become another. */
	if (utc.tm_mday != day)
		return false;
	*seconds -= offset;
	return *seconds > 0;
}

bool
history_time(const char *text, int64_t *seconds)
{
	char *end;

	if (text[0] != '\0' && strspn(text, "0123456789.") == strlen(text)) {
		const double number = strtod(text, &end);

		return *end == '\0' && history_epoch(number, seconds);
	}
	return read_date(text, seconds);
}
