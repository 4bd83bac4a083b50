/* So many threads at the same time, each with 100 requests in worker(). */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t together;

__attribute__((noinline)) static void
take(void)
{
	free(malloc(50));
}

static void *
worker(void *argument)
{
	pthread_barrier_wait(&together);
	for (int i = 0; i < 100; i++)
		take();
	return argument;
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&together, NULL, n);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attr, worker, NULL) != 0)
			return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
