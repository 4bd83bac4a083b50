/*
 * Four threads, each with a name and work of its own: a profiler that loses a thread, or mixes up
 * which one a sample belongs to, shows it.
 */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>

struct job {
	const char *name; /* of the thread; at most 15 characters */
	uint64_t (*work)(unsigned long rounds);
	uint64_t (*check)(unsigned long rounds); /* what work() must return */
	unsigned long rounds;
	uint64_t result;
	pthread_t thread;
};

static KEPT uint64_t
generate_numbers(unsigned long rounds)
{
	uint64_t state = 1;

	keep_frame();
	for (unsigned long i = 0; i < rounds * 1100000; i++)
		state = lcg_step(state);
	return state;
}

static uint64_t
generated_number(unsigned long rounds)
{
	return lcg_jump(1, rounds * 1100000);
}

#define SIEVE_SIZE 65536

/* The primes below SIEVE_SIZE, counted anew in each round. */
static KEPT uint64_t
sieve_primes(unsigned long rounds)
{
	static unsigned char composite[SIEVE_SIZE];
	uint64_t primes = 0;

	for (unsigned long round = 0; round < rounds * 8; round++) {
		memset(composite, 0, sizeof composite);
		for (unsigned i = 2; i < SIEVE_SIZE; i++) {
			if (composite[i])
				continue;
			primes++;
			for (unsigned j = 2 * i; j < SIEVE_SIZE; j += i)
				composite[j] = 1;
		}
	}
	return primes;
}

static uint64_t
number_of_primes(unsigned long rounds)
{
	return rounds * 8 * 6542;
}

#define MATRIX 48

/* Powers of a permutation matrix: its order is MATRIX, so the result is known. */
static KEPT uint64_t
multiply_matrices(unsigned long rounds)
{
	static uint32_t power[MATRIX][MATRIX];
	static uint32_t product[MATRIX][MATRIX];

	for (unsigned i = 0; i < MATRIX; i++)
		power[i][i] = 1;
	for (unsigned long round = 0; round < rounds * MATRIX; round++) {
		for (unsigned i = 0; i < MATRIX; i++) {
			for (unsigned j = 0; j < MATRIX; j++) {
				uint32_t sum = 0;

				for (unsigned k = 0; k < MATRIX; k++)
					sum += power[i][k] * ((k + 1) % MATRIX == j);
				product[i][j] = sum;
			}
		}
		memcpy(power, product, sizeof power);
	}
	uint64_t trace = 0;

	for (unsigned i = 0; i < MATRIX; i++)
		trace += power[i][i];
	return trace;
}

static uint64_t
trace_of_identity(unsigned long rounds)
{
	(void)rounds;
	return MATRIX;
}

#define SORTED 4096

/* Heapsort of random numbers; returns how many pairs are in order. */
static KEPT uint64_t
sort_numbers(unsigned long rounds)
{
	static uint64_t heap[SORTED];
	uint64_t random = 4;
	uint64_t in_order = 0;

	keep_frame();
	for (unsigned long round = 0; round < rounds * 5; round++) {
		for (size_t i = 0; i < SORTED; i++)
			heap[i] = random_next(&random);
		size_t start = SORTED / 2;
		size_t end = SORTED;

		while (end > 1) {
			if (start > 0) {
				start--;
			} else {
				uint64_t top = heap[0];

				heap[0] = heap[--end];
				heap[end] = top;
			}
			for (size_t at = start, child = 2 * at + 1; child < end;
				child = 2 * at + 1) {
				if (child + 1 < end && heap[child] < heap[child + 1])
					child++;
				if (heap[at] >= heap[child])
					break;
				uint64_t larger = heap[child];

				heap[child] = heap[at];
				heap[at] = larger;
				at = child;
			}
		}
		for (size_t i = 1; i < SORTED; i++)
			in_order += heap[i - 1] <= heap[i];
	}
	return in_order;
}

static uint64_t
all_pairs(unsigned long rounds)
{
	return rounds * 5 * (SORTED - 1);
}

static void *
run_job(void *argument)
{
	struct job *job = argument;

	pthread_setname_np(pthread_self(), job->name);
	job->result = job->work(job->rounds);
	return NULL;
}

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 200);
	struct job jobs[] = {
		{.name = "generator", .work = generate_numbers, .check = generated_number},
		{.name = "siever", .work = sieve_primes, .check = number_of_primes},
		{.name = "multiplier", .work = multiply_matrices, .check = trace_of_identity},
		{.name = "sorter", .work = sort_numbers, .check = all_pairs},
	};
	size_t njobs = sizeof jobs / sizeof jobs[0];

	for (size_t i = 0; i < njobs; i++) {
		jobs[i].rounds = rounds;
		expect_true("a thread cannot be started",
			pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]) == 0);
	}
	for (size_t i = 0; i < njobs; i++) {
		expect_true("a thread cannot be joined", pthread_join(jobs[i].thread, NULL) == 0);
		expect_u64(jobs[i].name, jobs[i].result, jobs[i].check(rounds));
	}
	return 0;
}
