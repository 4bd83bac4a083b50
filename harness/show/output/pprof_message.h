/*
 * A pprof file in the making: the fields of its message, and the texts that they refer to by
 * number.
 */
#ifndef OUTPUT_PPROF_MESSAGE_H
#define OUTPUT_PPROF_MESSAGE_H

#include "base/buf.h"
#include "base/strtab.h"

#include <stddef.h>
#include <stdint.h>

struct pprof_message {
	struct strtab strings; /* numbered in the order of their ids; 0 is "" */
	struct buf out;
	struct buf part; /* a message of `out`, empty between two */
	struct buf list; /* a field of `part`, the same */
};

void pprof_message_init(struct pprof_message *message);
void pprof_message_release(struct pprof_message *message);

/* The number of a text, which becomes valid UTF-8. */
uint64_t pprof_message_text(struct pprof_message *message, const char *text, size_t len);
uint64_t pprof_message_str(struct pprof_message *message, const char *text);

/* Puts a type of values, with its unit. */
void pprof_message_put_type(
	struct pprof_message *message, unsigned field, const char *type, const char *unit);

/* Puts all texts: once, after everything that refers to them. */
void pprof_message_put_strings(struct pprof_message *message);

#endif
