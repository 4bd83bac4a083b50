/*
 * Differences between the policy of the working tree and that of a commit: keys of YAML files, with
 * both texts. Comments, order of keys and quotes are ignored.
 */
#ifndef SPEC_POLICY_CHANGES_H
#define SPEC_POLICY_CHANGES_H

#include "base/arena.h"
#include "spec/yaml.h"

#include <stdbool.h>
#include <stddef.h>

/* More are counted only. */
#define POLICY_CHANGES_MAX 200
/* A longer text of a value is cut. */
#define POLICY_TEXT_MAX 400

struct policy_change {
	const char *file;   /* "config/profile_run.yaml" */
	unsigned line;      /* in the working tree; 0: not there */
	const char *key;    /* "gate.functions.fail" */
	const char *before; /* in the commit, as YAML on one line; "": it is not there */
	const char *after;  /* in the working tree; "" likewise */
	/* Why it applies although it is not the commit's: "a new workload"; NULL: it does not. */
	const char *holds;
};

struct policy_changes {
	struct arena arena;          /* owns the texts */
	struct policy_change *items; /* owned; in the order of the files */
	size_t count;
	size_t capacity;
	size_t left_out; /* beyond POLICY_CHANGES_MAX */
};

void policy_changes_release(struct policy_changes *changes);

/* Adds one; its texts are copied. */
void policy_changes_add(struct policy_changes *changes, const struct policy_change *change);

/*
 * Adds the differences between the values of `key` in the commit and in the working tree (NULL: not
 * there). Mappings are compared key by key, and lists item by item: an item that both have,
 * wherever, is no difference. `holds` is as in struct policy_change, for values that the working
 * tree has. Returns whether there is any difference.
 */
bool policy_changes_between(struct policy_changes *changes, const char *file, const char *key,
	const struct yaml_node *before, const struct yaml_node *after, const char *holds);

#endif
