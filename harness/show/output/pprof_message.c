#include "output/pprof_message.h"

#include "base/escape.h"
#include "profile/pprof_fields.h"

#include <string.h>

void
protobuf_put_varint(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(out, (char)(value | 0x80));
	buf_putc(out, (char)value);
}

void
protobuf_put_number(struct buf *out, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	protobuf_put_varint(out, field << WIRE_TYPE_BITS | WIRE_NUMBER);
	protobuf_put_varint(out, value);
}

static void
protobuf_put_bytes(struct buf *out, unsigned field, const void *bytes, size_t len)
{
	protobuf_put_varint(out, field << WIRE_TYPE_BITS | WIRE_BYTES);
	protobuf_put_varint(out, len);
	buf_put(out, bytes, len);
}

void
protobuf_put_part(struct buf *out, unsigned field, struct buf *part)
{
	protobuf_put_bytes(out, field, buf_text(part), part->len);
	buf_clear(part);
}

void
pprof_message_init(struct pprof_message *message)
{
	*message = (struct pprof_message){.out = {0}};
	strtab_init(&message->strings);
}

void
pprof_message_release(struct pprof_message *message)
{
	strtab_release(&message->strings);
	buf_release(&message->out);
	buf_release(&message->part);
	buf_release(&message->list);
}

uint64_t
pprof_message_text(struct pprof_message *message, const char *text, size_t len)
{
	struct buf safe = {0};

	escape_utf8(&safe, text, len);
	const uint64_t number = strtab_intern(&message->strings, buf_text(&safe), safe.len);

	buf_release(&safe);
	return number;
}

uint64_t
pprof_message_str(struct pprof_message *message, const char *text)
{
	return pprof_message_text(message, text, strlen(text));
}

void
pprof_message_put_strings(struct pprof_message *message)
{
	const struct strtab *strings = &message->strings;

	for (str_id id = 0; id < strings->nentries; id++)
		protobuf_put_bytes(&message->out, PPROF_STRING, strtab_str(strings, id),
			strtab_len(strings, id));
}
