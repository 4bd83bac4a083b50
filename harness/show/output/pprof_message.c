#include "output/pprof_message.h"

#include "base/escape.h"
#include "output/protobuf.h"
#include "profile/pprof_fields.h"

#include <string.h>

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
pprof_message_put_type(
	struct pprof_message *message, unsigned field, const char *type, const char *unit)
{
	protobuf_put_number(&message->part, PPROF_TYPE_NAME, pprof_message_str(message, type));
	protobuf_put_number(&message->part, PPROF_TYPE_UNIT, pprof_message_str(message, unit));
	protobuf_put_part(&message->out, field, &message->part);
}

void
pprof_message_put_strings(struct pprof_message *message)
{
	const struct strtab *strings = &message->strings;

	for (str_id id = 0; id < strings->nentries; id++)
		protobuf_put_bytes(&message->out, PPROF_STRING, strtab_str(strings, id),
			strtab_len(strings, id));
}
