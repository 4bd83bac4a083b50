/*
 * Which blocks of the instrumented files a process and its children execute, for tests/mutants/run:
 * it compiles these with -fsanitize-coverage=trace-pc, which calls the function below in each
 * block. The return addresses are kept in the file $EXECUTED, which is made here and mapped by all
 * of them, so nothing is lost when a child is killed or ends by _exit().
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A hash table with more places than there are blocks. */
#define PLACES (1u << 17)

static _Atomic uint32_t *table;

__attribute__((constructor)) static void
map_table(void)
{
	const char *path = getenv("EXECUTED");
	const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	const size_t size = PLACES * sizeof(*table);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		return;
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (mapped != MAP_FAILED)
		table = mapped;
	close(fd);
}

void __sanitizer_cov_trace_pc(void);

void
__sanitizer_cov_trace_pc(void)
{
	/* The program is linked at a fixed address below 4 GiB. */
	const uint32_t address = (uint32_t)(uintptr_t)__builtin_return_address(0);
	uint32_t place = (address * 2654435761u) >> 15;

	if (!table)
		return;
	for (;; place = (place + 1) % PLACES) {
		uint32_t found = atomic_load_explicit(&table[place], memory_order_relaxed);

		if (found == address ||
			(!found &&
				atomic_compare_exchange_strong(&table[place], &found, address)) ||
			found == address)
			return;
	}
}
