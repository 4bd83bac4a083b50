/*
 * YAML as a located tree: every node knows its line and column, so that errors can point into the
 * file.
 *
 * Refused with a located message: syntax errors, tabs as indentation, duplicate keys, anchors and
 * aliases, tags, several documents, keys that are not plain text, nesting deeper than 32, more than
 * 1000 keys in one mapping, more than 1 MiB, and what is not UTF-8 text.
 */
#ifndef SPEC_YAML_H
#define SPEC_YAML_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define YAML_FILE_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 32
#define YAML_KEYS_MAX 1000

enum yaml_kind {
	YAML_SCALAR,
	YAML_SEQUENCE,
	YAML_MAPPING,
};

struct yaml_node {
	enum yaml_kind kind;
	unsigned line;
	unsigned column;       /* in bytes, from 1 */
	const char *text;      /* of a scalar */
	bool plain;            /* a scalar without quotes: may be a number, a boolean or null */
	struct yaml_node *key; /* of a mapping's entry: its key; NULL otherwise */
	struct yaml_node *first;
	struct yaml_node *next;
};

struct yaml_file {
	const char *path;
	const char *text; /* the whole file */
	size_t len;
	struct yaml_node *root; /* NULL for an empty file */
	struct arena arena;     /* owns everything above but `path` */
};

/* `text` is copied. On error nothing needs to be released. */
int yaml_parse(
	struct yaml_file *file, const char *path, const char *text, size_t len, struct err *err);
/* The same of the file at `path`. */
int yaml_parse_file(struct yaml_file *file, const char *path, struct err *err);
void yaml_release(struct yaml_file *file);

/* The location of a node, for err_set_at(). */
struct location yaml_location(const struct yaml_file *file, const struct yaml_node *node);

/* How many entries a sequence or a mapping has. */
size_t yaml_count(const struct yaml_node *node);

/* Whether a scalar is YAML's null: nothing at all, ~ or null, without quotes. */
bool yaml_is_null(const struct yaml_node *node);

#endif
