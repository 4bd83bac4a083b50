/*
 * Quantities as people write them, in YAML and on the command line.
 *
 * Each returns 0, or -1 with *problem set to a phrase such as "needs a unit: ms, s, m or h".
 */
#ifndef SPEC_UNITS_H
#define SPEC_UNITS_H

/* "1500ms", "60s", "10m", "2h", "1.5s"; a bare "0" is allowed. Seconds. */
int units_duration(const char *text, double *seconds, const char **problem);
/* "5%" or "0.5 %" -> 0.05, 0.005. The sign is required. */
int units_percent(const char *text, double *ratio, const char **problem);
/* "4999", "4999Hz", "4.999kHz". Hertz, above 0 and at most 100000. */
int units_frequency(const char *text, double *hz, const char **problem);
/* "8192", "8KiB", "64 KiB", "1MiB". Bytes, a multiple of 8 in 8..65528 (or 64KiB: the same). */
int units_stack_size(const char *text, unsigned *bytes, const char **problem);
/* A whole number in min..max. */
int units_count(
	const char *text, unsigned min, unsigned max, unsigned *count, const char **problem);

/* "auto" -> 0, "60": how many executions make a run. */
#define REPEAT_MAX 10000

int units_repeat(const char *text, unsigned *executions, const char **problem);

enum cost_unit {
	COST_NONE, /* a bare 0 */
	COST_TIME,
	COST_COUNT,
	COST_BYTES,
};

/*
 * A cost: a time "2ms" (also ns, us, s and m) in ns, a count "250000" (also k, M and G), or bytes
 * "64KiB" (also B, MiB and GiB; "64KB" is the same).
 */
int units_cost(const char *text, double *cost, enum cost_unit *unit, const char **problem);

#endif
