/* Messages of pprof that are built field by field. */
#ifndef PPROF_MADE_H
#define PPROF_MADE_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void
put_varint(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(out, (char)(value | 0x80));
	buf_putc(out, (char)value);
}

static inline void
put_number(struct buf *out, unsigned field, uint64_t value)
{
	put_varint(out, field << 3);
	put_varint(out, value);
}

static inline void
put_bytes(struct buf *out, unsigned field, const void *bytes, size_t len)
{
	put_varint(out, field << 3 | 2);
	put_varint(out, len);
	buf_put(out, bytes, len);
}

/* A message of numbers: pairs of field and value, ended by a field of 0. */
static inline void
put_message(struct buf *out, unsigned field, const uint64_t *pairs)
{
	struct buf message = {0};

	for (; pairs[0] != 0; pairs += 2)
		put_number(&message, (unsigned)pairs[0], pairs[1]);
	put_bytes(out, field, buf_text(&message), message.len);
	buf_release(&message);
}

#define MESSAGE(out, field, ...) put_message(out, field, (const uint64_t[]){__VA_ARGS__, 0})

/* A location with functions, innermost first. */
static inline void
put_location(struct buf *out, uint64_t id, uint64_t mapping, const uint64_t *functions)
{
	struct buf message = {0};

	put_number(&message, 1, id);
	put_number(&message, 2, mapping);
	for (; *functions != 0; functions++)
		MESSAGE(&message, 4, 1, *functions, 2, 7);
	put_bytes(out, 4, buf_text(&message), message.len);
	buf_release(&message);
}

/* A sample in packed fields. */
static inline void
put_sample(struct buf *out, const uint64_t *locations, size_t nlocations, uint64_t first,
	uint64_t second)
{
	struct buf message = {0};
	struct buf list = {0};

	for (size_t i = 0; i < nlocations; i++)
		put_varint(&list, locations[i]);
	put_bytes(&message, 1, buf_text(&list), list.len);
	buf_clear(&list);
	put_varint(&list, first);
	put_varint(&list, second);
	put_bytes(&message, 2, buf_text(&list), list.len);
	put_bytes(out, 2, buf_text(&message), message.len);
	buf_release(&list);
	buf_release(&message);
}

#define LOCATIONS(...) \
	(const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

static inline void
put_texts(struct buf *out, const char *const *texts)
{
	for (; *texts; texts++)
		put_bytes(out, 6, *texts, strlen(*texts));
}

/* Two types, a program, main(1) that calls work(2), in which help(3) is inlined; location 4 has
 * none. */
static inline void
put_tables(struct buf *out, const char *first, const char *first_unit, const char *second,
	const char *second_unit)
{
	const char *const texts[] = {"", first, first_unit, second, second_unit, "/usr/bin/prog",
		"main", "work;x", "help_[i]", "src/work.c", NULL};

	MESSAGE(out, 1, 1, 1, 2, 2);
	MESSAGE(out, 1, 1, 3, 2, 4);
	put_texts(out, texts);
	MESSAGE(out, 3, 1, 1, 5, 5);
	MESSAGE(out, 5, 1, 1, 2, 6);
	MESSAGE(out, 5, 1, UINT64_C(1) << 40, 2, 7, 4, 9, 5, 33);
	MESSAGE(out, 5, 1, 3, 2, 8);
	put_location(out, 1, 1, (const uint64_t[]){1, 0});
	put_location(out, 2, 1, (const uint64_t[]){3, UINT64_C(1) << 40, 0});
	put_location(out, 4, 1, (const uint64_t[]){0});
}

/* A sample of main that has the label of text `key`, a text or a number in a unit. */
static inline void
put_labelled(struct buf *out, uint64_t first, uint64_t second, uint64_t key, uint64_t text,
	uint64_t number, uint64_t unit)
{
	struct buf message = {0};

	put_number(&message, 1, 1);
	put_number(&message, 2, first);
	put_number(&message, 2, second);
	if (text != 0)
		MESSAGE(&message, 3, 1, key, 2, text);
	else
		MESSAGE(&message, 3, 1, key, 3, number, 4, unit);
	put_bytes(out, 2, buf_text(&message), message.len);
	buf_release(&message);
}

#endif
