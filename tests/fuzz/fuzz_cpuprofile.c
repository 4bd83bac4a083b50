/* Any text as a profile of V8. */
#include "format_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_input_read(&ingest_cpuprofile, data, size);
	return 0;
}
