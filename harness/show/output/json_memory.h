/*
 * cJSON leaves out what it has no memory for, and goes on: a verdict would lack a part without a
 * word. From the call on it takes memory from base/mem.h, which ends the process in order.
 */
#ifndef OUTPUT_JSON_MEMORY_H
#define OUTPUT_JSON_MEMORY_H

/* For all of the process; before any JSON is read or made. */
void json_memory_use(void);

#endif
