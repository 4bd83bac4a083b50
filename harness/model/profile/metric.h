/*
 * The metrics: what the cost of a run is made of. metrics[] (metric.c) is the one list of them, and
 * says how to add one. And the costs of callgrind's files, which are sums of its events
 * (event_sum_*).
 */
#ifndef PROFILE_METRIC_H
#define PROFILE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/* How people write a cost. */
enum metric_kind {
	METRIC_TIME,  /* in ns; written "2ms" */
	METRIC_COUNT, /* "250k" */
	METRIC_BYTES, /* "64KiB" */
};

struct metric {
	const char *name;    /* in YAML, in baselines and reports: "cpu" */
	const char *unit;    /* of costs: "ns", "instructions" */
	const char *summary; /* a phrase */
	enum metric_kind kind;
	/*
	 * Every single event is counted, so that the same program on the same input has the same
	 * cost: `gate.counted` holds. The weights of such profiles are in `unit`, those of others
	 * in samples.
	 */
	bool counted;
	bool timed;              /* weights are in `unit`, too, though they vary as samples do */
	bool simulated;          /* its events are of a simulated cache */
	bool of_files;           /* read of program files: nothing is run */
	bool first_thread;       /* of the first thread only, unless `thread` says otherwise */
	const char *number_unit; /* of weights that are numbers of events of it, where a capture
				    has those, too; NULL: it has none */
	/*
	 * A function's cost that is not judged unless the settings say otherwise: the same program
	 * differs by so much where its environment is longer, and with it its stack elsewhere.
	 */
	double min_cost;
	const struct metric_event *events; /* of callgrind, whose weighted sum a cost is; ends with
					      a NULL name; NULL: no such sum */
	const char *sampled_by; /* the event of the machine's counter by which it can be sampled
				   instead of counted; NULL: none */
	const char *counted_by; /* the metric that decides where this one cannot; NULL: none */
	const char *const *gate_keys; /* of `gate`, and rule_key of a rule: for this metric only;
					 ends with NULL; NULL: none */
	const char *rule_key;
};

/* An event that callgrind counts, and what one of it costs. */
struct metric_event {
	const char *name;
	double weight;
};

/* So many events are in a sum at most. */
#define METRIC_EVENTS_MAX 8

/* The name of the metric whose costs `gate.counted` sets, and which says more of CPU time. */
#define METRIC_INSTRUCTIONS "instructions"

/* The name of the metric of program files. */
#define METRIC_SIZE "size"

/* Ends with a NULL name. */
extern const struct metric metrics[];

/* NULL if there is none of that name. */
const struct metric *metric_find(const char *name);

/* The metric that is counted where this one cannot decide or be sampled; NULL: none. */
const char *metric_counted_instead(const char *name);

/* Whether the metric of that name is counted when it is captured by this event. */
bool metric_is_counted_by(const char *name, const char *event);

/* The unit of its costs; "ns" if there is none of that name. */
const char *metric_unit(const char *name);

/* Whether the metric of that name is counted, and has weights in this unit. */
bool metric_counts_in(const char *name, const char *unit);

/* The unit of the weights of its profiles; "samples" if there is none of that name. */
const char *metric_weight_unit(const char *name);

/*
 * Costs of callgrind's files: a weighted sum of the numbers in a line, one for each of the file's
 * events.
 *
 * Used where such a file is read, and where it is captured and only its total is needed.
 */

struct event_sum {
	struct {
		size_t place; /* of the number in a line: 0 is the first */
		double weight;
	} terms[METRIC_EVENTS_MAX]; /* by ascending place */
	size_t nterms;              /* 0: no event */
};

/*
 * A header line of callgrind's format, "desc: Metric: NAME", says for which metric of ours a file
 * was captured. This is the second word.
 */
#define EVENT_SUM_KEY "Metric:"

/* The sum of one event alone. */
struct event_sum event_sum_single(size_t place);

/*
 * The sum of `metric` over events of these names, which are separated by blanks. False, and no
 * term, where one of its events is not among them or where it is no such sum.
 */
bool event_sum_of_metric(
	struct event_sum *sum, const struct metric *metric, const char *names, size_t len);

#endif
