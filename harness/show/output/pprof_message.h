/*
 * A pprof file in the making: the fields of its message, as Protocol Buffers has them, one behind
 * the other; the texts that they refer to by number; and the locations that stacks are made of.
 */
#ifndef OUTPUT_PPROF_MESSAGE_H
#define OUTPUT_PPROF_MESSAGE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of packed fields, and of what is inside the others. */
void protobuf_put_varint(struct buf *out, uint64_t value);
/* Nothing for zero: a field that is missing is read as that. */
void protobuf_put_number(struct buf *out, unsigned field, uint64_t value);
/* Puts the message `part`, and empties it. */
void protobuf_put_part(struct buf *out, unsigned field, struct buf *part);

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

/* Puts all texts: once, after everything that refers to them. */
void pprof_message_put_strings(struct pprof_message *message);

/*
 * A location is a place in the code, that is a function with the functions that the compiler
 * inlined there, and the mapping, the file that the code is of.
 */
struct pprof_locations {
	const struct profile *profile;
	uint32_t *of_node;       /* by node: its location; 0: the root's */
	struct key_map keys;     /* (location that it is inlined in, frame) -> location - 1 */
	bool *used;              /* by location - 1 */
	struct key_map mappings; /* (module, build-id) -> mapping - 1 */
	uint32_t *mapping_of;    /* by location - 1: its mapping; 0: not known */
};

/* Finds the locations of all nodes. The profile is borrowed. */
void pprof_locations_init(struct pprof_locations *locations, const struct profile *profile);
void pprof_locations_release(struct pprof_locations *locations);

/*
 * The location that `node`, not the root, is in, marked as used with those around it; *node becomes
 * the node that called it, CTREE_ROOT after the last.
 */
uint32_t pprof_locations_next(struct pprof_locations *locations, node_id *node);

/*
 * Puts all mappings, the locations that are used, and the functions of these. Functions keep the
 * suffixes of their names, but for _[i] of one in another's location.
 */
void pprof_locations_put(const struct pprof_locations *locations, struct pprof_message *message);

#endif
