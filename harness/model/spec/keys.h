/*
 * Reading a YAML mapping by a table of its keys: one reader for every section of workloads and of
 * the configuration, so that each problem is reported in the same words.
 *
 * A table is a `const struct key` array that ends with a NULL name. To add a key, add a line there,
 * a field in the struct it fills, and a paragraph in its manual page.
 */
#ifndef SPEC_KEYS_H
#define SPEC_KEYS_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/yaml.h"

#include <stdbool.h>
#include <stddef.h>

enum key_type {
	KEY_TEXT,      /* const char *; not empty */
	KEY_CHOICE,    /* int: the index in `choices` */
	KEY_COUNT,     /* unsigned, min..max */
	KEY_FREQUENCY, /* double, Hz, min..max */
	KEY_DURATION,  /* double, seconds, min..max */
	KEY_PERCENT,   /* double, a fraction, min..max */
	KEY_THRESHOLD, /* the same, or "never": NAN */
	KEY_RATIO,     /* double, a fraction, min..max: "5%" or "0.05" */
	KEY_COST,      /* double, in the metric's unit, per execution: ns, a count or bytes */
	KEY_BOOL,      /* bool */
	KEY_SECTION,   /* a mapping with its own table */
	KEY_CUSTOM,    /* whatever `read` makes of it */
};

struct key_reader {
	const struct yaml_file *file;
	struct arena *arena; /* takes the strings */
	struct err *err;
	unsigned scope; /* the bit of the scope that is read, where keys have scopes */
};

#define KEY_DEFAULTS 3

struct key {
	const char *name;
	const char *in; /* the KEY_SECTION of this table that it stands in; NULL: in none */
	size_t offset;  /* of the field in the struct that the table fills */
	double min;
	double max;
	const char *const *choices; /* KEY_CHOICE, NULL-ended; KEY_TEXT: the only ones, if set */
	const struct key *section;  /* KEY_SECTION: its table; NULL: the keys of this one `in` it */
	const char *defaults[KEY_DEFAULTS]; /* as in YAML; NULL: none */
	bool (*valid)(const char *text);    /* KEY_TEXT: whether the text is valid; NULL: it is */
	const char *wants;                  /* what `valid` demands, for messages */
	/*
	 * KEY_CUSTOM: reads the value; `into` is the field at `offset`. KEY_SECTION: a check of the
	 * field once it is read, with its node; may be NULL. The fields of a section without a
	 * table lie where their own offsets say, as those beside it; a scalar in place of such a
	 * section is the value of its thresholds.
	 */
	int (*read)(const struct key_reader *reader, const struct yaml_node *node, void *into);
	enum key_type type;
	unsigned section_scope; /* the scope that `section` is read in; 0: the same */
	unsigned scopes;        /* the only ones where the key is known; 0: all */
	unsigned quoted_in;     /* KEY_BOOL: scopes where it is a choice of two texts */
};

/*
 * Reads the mapping `node` into the struct `into`, whose fields keep what they hold where a key is
 * absent. `what` names the mapping in messages: "capture".
 */
int keys_read(const struct key_reader *reader, const struct yaml_node *node, const char *what,
	const struct key *keys, void *into);

/* Fills the fields of `into` that have a default in this column, by the literals of the table. */
void keys_defaults(const struct key *keys, size_t column, void *into);

/* The entry of a mapping, NULL if it has none of this name. */
const struct yaml_node *keys_find(const struct yaml_node *mapping, const char *name);

/* A located error about `node`; returns -1. */
int keys_refuse(const struct key_reader *reader, const struct yaml_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "found a list", "found '60'": the value found, in words; the reader's arena. */
const char *keys_found(const struct key_reader *reader, const struct yaml_node *node);

/*
 * The text of a scalar that is not null, the reader's arena; NULL and an error otherwise.
 * `expected` says what should be there: "text".
 */
const char *keys_text(
	const struct key_reader *reader, const struct yaml_node *node, const char *expected);

/*
 * Whether `name` can name a file everywhere: [A-Za-z0-9_.-]+, at most 100 bytes, not starting with
 * '.' or '-'.
 */
bool keys_is_name(const char *name);

#endif
