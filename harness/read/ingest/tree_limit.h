/*
 * How large a call tree may become by reading a file. Formats that name a frame by a number of a
 * byte, or a stack's frames by one address, can make many more nodes than they have bytes, above
 * all when the file is packed.
 */
#ifndef INGEST_TREE_LIMIT_H
#define INGEST_TREE_LIMIT_H

#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

#define TREE_LIMIT_LEAST ((size_t)2 << 20)

/* The nodes that the tree may have when a file of this size, as it is stored, has been read. */
static inline size_t
tree_limit(const struct profile *profile, size_t file_bytes)
{
	return profile->tree.nnodes + TREE_LIMIT_LEAST + file_bytes;
}

/* `path` is for the message. */
static inline int
tree_limit_check(const struct profile *profile, size_t limit, const char *path, struct err *err)
{
	if (profile->tree.nnodes <= limit)
		return 0;
	return err_set(
		err, ERR_INPUT, "%s: its stacks have more frames than a file of this size", path);
}

#endif
