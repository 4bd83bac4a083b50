/* Any text as a speedscope file. */
#include "format_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_input_read(&ingest_speedscope, data, size);
	return 0;
}
