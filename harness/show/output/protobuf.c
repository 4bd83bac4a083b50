#include "output/protobuf.h"

#include "base/wire_type.h"

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

void
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
