/*
 * The fields of a pprof file, which is one message `Profile` of Protocol Buffers: their numbers,
 * and how their values are encoded.
 *
 * Source: proto/profile.proto of github.com/google/pprof, whose numbers never change.
 */
#ifndef PROFILE_PPROF_FIELDS_H
#define PROFILE_PPROF_FIELDS_H

/* Encodings (wire types), the low bits of a field's tag. Source: protobuf.dev, "Encoding". */
enum wire_type {
	WIRE_NUMBER = 0, /* of 7 bits a byte */
	WIRE_FIXED_64 = 1,
	WIRE_BYTES = 2, /* a text, a message, or numbers, behind its length */
	WIRE_FIXED_32 = 5,
};

/* The low bits of a tag that hold its type, below the number of the field. */
#define WIRE_TYPE_BITS 3

enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME_NS = 9,
	PPROF_DURATION_NS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_TYPE = 14,
};

enum pprof_type_field { PPROF_TYPE_NAME = 1, PPROF_TYPE_UNIT = 2 };

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION = 1,
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3
};

enum pprof_label_field {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_TEXT = 2,
	PPROF_LABEL_NUMBER = 3,
	PPROF_LABEL_UNIT = 4
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILES = 8,
	PPROF_MAPPING_HAS_INLINED = 10,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_LINE = 4
};

enum pprof_line_field { PPROF_LINE_FUNCTION = 1, PPROF_LINE_NUMBER = 2 };

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_FILE = 4,
	PPROF_FUNCTION_START_LINE = 5,
};

#endif
