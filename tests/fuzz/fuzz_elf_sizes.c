/* Any bytes as a program file that is read for its size: an error, or all of its bytes. */
#include "format_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_input_read(&ingest_elf, data, size);
	return 0;
}
