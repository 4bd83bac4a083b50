#include "perf_event/ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORD_BYTES sizeof(uint64_t)

int
ring_map(struct ring *ring, int fd, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t map_bytes = page_bytes + data_bytes;
	void *map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -1;
	*ring = (struct ring){
		.page = map,
		.data = (unsigned char *)map + page_bytes,
		.data_bytes = data_bytes,
		.map_bytes = map_bytes,
	};
	return 0;
}

void
ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->map_bytes);
	ring->page = NULL;
}

void
ring_copy_out(const struct ring *ring, uint64_t at, void *to, size_t bytes)
{
	size_t start = (size_t)(at & (ring->data_bytes - 1));
	size_t room = ring->data_bytes - start;
	size_t part = bytes < room ? bytes : room;

	memcpy(to, ring->data + start, part);
	memcpy((unsigned char *)to + part, ring->data, bytes - part);
}

void
ring_peek(const struct ring *ring, uint64_t *seen, uint32_t type, ring_visitor visit, void *context)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t tail = ring->page->data_tail;
	uint64_t copy[RING_PEEKED_BYTES / WORD_BYTES];
	struct perf_event_header header;

	if (*seen < tail)
		*seen = tail;
	while (*seen + sizeof(header) <= head) {
		const uint64_t word = ring_word(ring, *seen);

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || *seen + header.size > head)
			break;
		if (header.type == type && header.size <= sizeof(copy)) {
			ring_copy_out(ring, *seen, copy, header.size);
			visit(context, (const struct perf_event_header *)copy);
		}
		*seen += header.size;
	}
}
