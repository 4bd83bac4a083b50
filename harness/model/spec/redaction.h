/*
 * The file of redaction rules: which names of a profile may leave the house, and what the others
 * become. One YAML mapping:
 *
 *     key: redact.key        # a file beside this one; without it the key is derived from this file
 *     default: hash          # of names that no rule matches: hash, class or drop
 *     rules:                 # the first that matches
 *       - {function: "std::*", as: keep}
 *       - {module: "libc.so*", as: keep}
 *       - {module: "*acme*", as: class, class: engine}
 *       - {source: "*", as: drop}
 *       - {thread: "worker*", as: keep}
 */
#ifndef SPEC_REDACTION_H
#define SPEC_REDACTION_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The subject of a rule. */
enum redaction_subject {
	REDACT_FUNCTION, /* the name of a function */
	REDACT_MODULE,   /* the file of its code: the file's name, and those of its functions */
	REDACT_SOURCE,   /* its source file */
	REDACT_THREAD,   /* a label at the root of stacks: a thread, a process, a phase */
	REDACT_SUBJECTS,
};

enum redaction_action {
	REDACT_KEEP,
	REDACT_HASH,  /* a keyed hash of the name */
	REDACT_CLASS, /* the class, for all of these names */
	REDACT_DROP,  /* nothing: the frame's weight is its caller's */
};

struct redaction_rule {
	enum redaction_subject subject;
	enum redaction_action action;
	const char *pattern;    /* fnmatch(3) */
	const char *class_name; /* of REDACT_CLASS */
};

struct redaction {
	struct arena arena; /* owns all below */
	struct redaction_rule *rules;
	size_t nrules;
	struct redaction_rule otherwise; /* without a pattern */
	const char *key;
	size_t key_len;
	const char *key_path; /* NULL: the key is derived from the rules */
};

/* Reads the rules and their key. redaction_release() is needed in any case. */
int redaction_read(struct redaction *redaction, const char *path, struct err *err);
void redaction_release(struct redaction *redaction);

#endif
