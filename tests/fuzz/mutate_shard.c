#include "mutate_record.h"

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return mutate_record(&record_shard, data, size, max_size, seed);
}
