#include "perf_event/gather.h"

#include "perf_event/ring.h"
#include "perf_event/trim.h"

#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

int
gather_flush(struct gather *gather, struct err *err)
{
	size_t npieces = gather->npieces;

	gather->npieces = 0;
	gather->nbytes = 0;
	return npieces > 0 ? gather->sink(gather->context, gather->pieces, npieces, err) : 0;
}

static int
put_piece(struct gather *gather, const unsigned char *start, size_t bytes, struct err *err)
{
	struct iovec *last = gather->pieces + gather->npieces - 1;

	gather->put_bytes += bytes;
	if (gather->npieces > 0 && (unsigned char *)last->iov_base + last->iov_len == start) {
		last->iov_len += bytes;
		return 0;
	}
	if (gather->npieces == GATHER_PIECES && gather_flush(gather, err) < 0)
		return -1;
	gather->pieces[gather->npieces++] = (struct iovec){(void *)start, bytes};
	return 0;
}

int
gather_put(struct gather *gather, uint64_t at, size_t bytes, struct err *err)
{
	const struct ring *ring = gather->ring;
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t room = ring->data_bytes - start;
	size_t part = bytes < room ? bytes : room;

	if (part > 0 && put_piece(gather, ring->data + start, part, err) < 0)
		return -1;
	return bytes > part ? put_piece(gather, ring->data, bytes - part, err) : 0;
}

int
gather_put_cut(struct gather *gather, uint64_t at, const struct trim_cut *cut, struct err *err)
{
	uint64_t copy_bytes = cut->copy_bytes;
	uint64_t valid_bytes = cut->valid_bytes;
	size_t wanted = cut->head_bytes + 2 * WORD_BYTES;

	/* The pieces must have room, too: a flush in between would discard the bytes. */
	if ((gather->nbytes + wanted > GATHER_BYTES || gather->npieces + 4 > GATHER_PIECES) &&
		gather_flush(gather, err) < 0)
		return -1;
	unsigned char *head = gather->bytes + gather->nbytes;

	gather->nbytes += wanted;
	ring_copy_out(gather->ring, at, head, cut->head_bytes);
	memcpy(head + offsetof(struct perf_event_header, size), &cut->size, sizeof(cut->size));
	memcpy(head + cut->head_bytes, &copy_bytes, WORD_BYTES);
	memcpy(head + cut->head_bytes + WORD_BYTES, &valid_bytes, WORD_BYTES);
	if (put_piece(gather, head, cut->head_bytes + WORD_BYTES, err) < 0)
		return -1;
	if (copy_bytes == 0)
		return 0;
	if (gather_put(gather, at + cut->head_bytes + WORD_BYTES, cut->copy_bytes, err) < 0)
		return -1;
	return put_piece(gather, head + cut->head_bytes + WORD_BYTES, WORD_BYTES, err);
}

int
gather_put_copy(struct gather *gather, const void *bytes, size_t len, struct err *err)
{
	if ((gather->nbytes + len > GATHER_BYTES || gather->npieces == GATHER_PIECES) &&
		gather_flush(gather, err) < 0)
		return -1;
	if (len > GATHER_BYTES) {
		if (put_piece(gather, bytes, len, err) < 0)
			return -1;
		return gather_flush(gather, err);
	}
	unsigned char *copy = gather->bytes + gather->nbytes;

	memcpy(copy, bytes, len);
	gather->nbytes += len;
	return put_piece(gather, copy, len, err);
}
