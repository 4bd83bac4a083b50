/*
 * Makes text profiles to read, always the same for the same arguments.
 *
 *     make_text folded STACKS SEED [shallow|deep] [unsorted] [pair]
 *                                         folded stacks of about 30 frames, or 12, or 58, 2 of them
 *                                         new; sorted, but for "unsorted"; "pair": two weights a
 *                                         line, as difffolded.pl writes, of which a tenth differ
 *     make_text script BYTES < TEXT       perf script text repeated: time, ids and user addresses
 *                                         move on each time, as in a longer recording
 *     make_text stacks BYTES < FOLDED     the stacks of folded text as perf script text
 *
 * Two seeds share nine stacks of ten, with other weights.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 20000
#define DEPTH_MAX 60

struct stack {
	uint16_t depth;
	uint16_t frames[DEPTH_MAX];
};

static uint64_t
mixed(uint64_t value)
{
	value = (value + 1) * 0x9e3779b97f4a7c15u;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93u;
	return value ^ value >> 29;
}

static uint64_t
random_below(uint64_t limit)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void *
need(void *memory)
{
	if (!memory) {
		fputs("make_text: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void
put_name(char *out, size_t size, unsigned function)
{
	static const char *const spaces[] = {"std::", "asio::", "app::net::", "app::db::", "base::",
		"", "", "", "v8::internal::"};
	static const char *const classes[] = {"Session", "Parser", "Tree<int>", "Node", "Query",
		"vector<int>", "Buffer", "Executor", "Planner", "Allocator"};
	static const char *const methods[] = {"run", "execute", "insert", "find", "push_back",
		"operator()", "visit", "reset", "write", "read", "next"};
	uint64_t x = mixed(function);
	const char *method = methods[x / 400 % 11];

	if (x % 3 == 0)
		snprintf(out, size, "do_%s_%u", method, function);
	else
		snprintf(out, size, "%s%s::%s%u", spaces[x / 4 % 9], classes[x / 40 % 10], method,
			function);
}

/* Mostly a stack that was there before with another end. */
static struct stack
next_stack(const struct stack *stacks, size_t count, unsigned depth)
{
	struct stack stack = {0};

	if (count > 0) {
		stack = stacks[random_below(count)];
		uint64_t cut = random_below(10) > 0 ? random_below(4) : random_below(20);

		stack.depth = (uint16_t)(stack.depth > cut ? stack.depth - cut : 0);
	}
	uint64_t goal =
		stack.depth < depth ? depth + random_below(6) : stack.depth + 1 + random_below(3);

	while (stack.depth < goal && stack.depth < DEPTH_MAX) {
		static const unsigned char callee[20] = {
			0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6};
		uint64_t caller = stack.depth > 0 ? stack.frames[stack.depth - 1] : 0;

		stack.frames[stack.depth++] =
			(uint16_t)(mixed(caller * 16 + callee[random_below(20)]) % FUNCTIONS);
	}
	return stack;
}

static char *
stack_text(const struct stack *stack)
{
	char text[DEPTH_MAX * 64 + 64] = "server;_start;__libc_start_main;main";
	size_t len = strlen(text);

	for (size_t i = 0; i < stack->depth; i++) {
		text[len++] = ';';
		put_name(text + len, 64, stack->frames[i]);
		len += strlen(text + len);
	}
	return need(strdup(text));
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fisher and Yates. */
static void
shuffle(char **texts, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = random_below(i);
		char *text = texts[i - 1];

		texts[i - 1] = texts[other];
		texts[other] = text;
	}
}

static void
put_stack(const char *text, uint64_t number, bool pair)
{
	unsigned weight = 1 + (unsigned)(number >> 8) % 20;

	if (pair)
		printf("%s %u %u\n", text, weight,
			number % 10 > 0 ? weight : 1 + (unsigned)(number >> 16) % 20);
	else
		printf("%s %u\n", text, weight);
}

struct shape {
	unsigned depth; /* at least so many frames below main() */
	bool unsorted;
	bool pair;
};

static void
make_folded(size_t count, uint64_t seed, const struct shape *shape)
{
	struct stack *stacks = need(calloc(count + 1, sizeof(*stacks)));
	char **texts = need(calloc(count + 1, sizeof(*texts)));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		stacks[i] = next_stack(stacks, i, shape->depth);
		texts[i] = stack_text(&stacks[i]);
	}
	qsort(texts, count, sizeof(*texts), compare);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(texts[i], texts[kept - 1]) == 0)
			free(texts[i]);
		else
			texts[kept++] = texts[i];
	}
	if (shape->unsorted)
		shuffle(texts, kept);
	for (size_t i = 0; i < kept; i++) {
		uint64_t of_seed = mixed(i * 7 + seed);

		if (of_seed % 20 > 0)
			put_stack(texts[i], of_seed, shape->pair);
		free(texts[i]);
	}
	free(texts);
	free(stacks);
}

/* False for a word that is no part of a shape. */
static bool
read_shape(struct shape *shape, char **words)
{
	*shape = (struct shape){.depth = 24};
	for (; *words; words++) {
		if (strcmp(*words, "shallow") == 0)
			shape->depth = 6;
		else if (strcmp(*words, "deep") == 0)
			shape->depth = 50;
		else if (strcmp(*words, "unsorted") == 0)
			shape->unsorted = true;
		else if (strcmp(*words, "pair") == 0)
			shape->pair = true;
		else
			return false;
	}
	return true;
}

static char *
read_all(size_t *len)
{
	size_t capacity = 1 << 20;
	char *text = need(malloc(capacity + 1));

	for (size_t got; (got = fread(text + *len, 1, capacity - *len, stdin)) > 0;) {
		*len += got;
		if (*len == capacity)
			text = need(realloc(text, (capacity *= 2) + 1));
	}
	text[*len] = '\0';
	return text;
}

/* "comm 1234 1381.362126: ...": the id and the seconds move on. */
static int
put_header(const char *line, int len, unsigned round)
{
	const char *point = memchr(line, '.', (size_t)len);
	const char *seconds = point;

	while (seconds && seconds > line && seconds[-1] != ' ')
		seconds--;
	const char *id = seconds;

	while (id && id > line && id[-1] == ' ')
		id--;
	while (id && id > line && id[-1] >= '0' && id[-1] <= '9')
		id--;
	if (!id || id == line)
		return printf("%.*s\n", len, line);
	return printf("%.*s%lu %lu%.*s\n", (int)(id - line), line, strtoul(id, NULL, 10) + round,
		strtoul(seconds, NULL, 10) + 100ul * round, len - (int)(point - line), point);
}

static void
repeat_script(uint64_t wanted)
{
	size_t size = 0;
	char *text = read_all(&size);
	uint64_t put = 0;

	for (unsigned round = 0; put < wanted && size > 0; round++) {
		for (char *line = text, *end; put < wanted && line < text + size; line = end + 1) {
			end = strchr(line, '\n');
			if (!end)
				break;
			int len = (int)(end - line);

			if (*line != '\t') {
				put += (unsigned)(len > 0 ? put_header(line, len, round)
							  : printf("\n"));
				continue;
			}
			char *rest;
			uint64_t address = strtoull(line, &rest, 16);

			if (address >= 0x1000000 && address < (uint64_t)1 << 63)
				address += (uint64_t)round * 0x7f3000;
			put += (unsigned)printf(
				"\t%16" PRIx64 "%.*s\n", address, (int)(end - rest), rest);
		}
	}
	free(text);
}

/* Leaf first, each frame at one of three call sites. */
static uint64_t
put_sample(const char *root, char *stack, uint64_t at)
{
	uint64_t put =
		(unsigned)printf("%s 4242 %" PRIu64 ".%06" PRIu64 ":     200040 cpu-clock: \n",
			root, at / 5000, at % 5000 * 200);

	for (char *name; (name = strrchr(stack, ';')); *name = '\0') {
		uint64_t x = mixed((uint64_t)strlen(name) * 131 + (unsigned char)name[1]);
		unsigned offset = (unsigned)((x >> 8) % 400 + 16 * (mixed(at ^ x) % 3));

		put += (unsigned)printf("\t%16" PRIx64
					" %s+0x%x (/usr/lib/x86_64-linux-gnu/lib%u.so)\n",
			0x7f0000000000 + x % 0x10000000 + offset, name + 1, offset,
			(unsigned)(x % 7));
	}
	return put + (unsigned)printf("\n");
}

static void
make_stacks(uint64_t wanted)
{
	size_t size = 0;
	char *text = read_all(&size);
	uint64_t put = 0;

	for (uint64_t at = 0; put < wanted && size > 0; at++) {
		const char *line = text + random_below(size);
		char stack[DEPTH_MAX * 64 + 64];

		while (line > text && line[-1] != '\n')
			line--;
		const char *end = strchr(line, '\n');

		if (!end || (size_t)(end - line) >= sizeof(stack))
			continue;
		memcpy(stack, line, (size_t)(end - line));
		stack[end - line] = '\0';
		*strrchr(stack, ' ') = '\0';
		put += put_sample("server", stack, at);
	}
	free(text);
}

int
main(int argc, char **argv)
{
	static char buffer[1 << 20];
	struct shape shape;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc >= 4 && strcmp(argv[1], "folded") == 0 && read_shape(&shape, argv + 4))
		make_folded(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), &shape);
	else if (argc == 3 && strcmp(argv[1], "script") == 0)
		repeat_script(strtoull(argv[2], NULL, 10));
	else if (argc == 3 && strcmp(argv[1], "stacks") == 0)
		make_stacks(strtoull(argv[2], NULL, 10));
	else
		return fputs("usage: make_text folded STACKS SEED [shallow|deep] [unsorted] [pair] | "
			     "script BYTES | stacks BYTES\n",
			       stderr) < 0
			       ? 1
			       : 64;
	return ferror(stdout) || fflush(stdout) != 0;
}
