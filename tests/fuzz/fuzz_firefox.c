/* Any text as a file of the Firefox Profiler. */
#include "format_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_input_read(&ingest_firefox, data, size);
	return 0;
}
