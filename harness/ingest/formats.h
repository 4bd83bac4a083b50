/*
 * The formats behind input_formats[], and what they share.
 */
#ifndef INGEST_FORMATS_H
#define INGEST_FORMATS_H

#include "ingest/ingest.h"

extern const struct input_format ingest_perfdata;
extern const struct input_format ingest_script;
extern const struct input_format ingest_callgrind;
extern const struct input_format ingest_folded;

#endif
