/*
 * JSON documents against the JSON Schemas of this repository.
 */
#ifndef UNIT_OUTPUT_SCHEMA_CHECK_H
#define UNIT_OUTPUT_SCHEMA_CHECK_H

#include "base/buf.h"
#include "base/file.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * A validator for the part of JSON Schema (2020-12) that our schemas keep to. `used` collects every
 * property that some document showed, so that one no document can have is found too.
 */
struct validation {
	const cJSON *schema;
	const char *problem; /* the first; NULL where all is well */
	char where[128];
	const cJSON *used[512];
	size_t nused;
};

static inline bool validate(struct validation *validation, const cJSON *schema, const cJSON *value);

static inline bool
refuse(struct validation *validation, const char *problem, const cJSON *value)
{
	if (!validation->problem) {
		validation->problem = problem;
		snprintf(validation->where, sizeof(validation->where), "%s",
			value->string ? value->string : "(item)");
	}
	return false;
}

static inline bool
has_type(const cJSON *value, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
	return (strcmp(type, "null") == 0 && cJSON_IsNull(value)) ||
	       (strcmp(type, "string") == 0 && cJSON_IsString(value)) ||
	       (strcmp(type, "number") == 0 && cJSON_IsNumber(value)) ||
	       (strcmp(type, "boolean") == 0 && cJSON_IsBool(value)) ||
	       (strcmp(type, "array") == 0 && cJSON_IsArray(value)) ||
	       (strcmp(type, "object") == 0 && cJSON_IsObject(value));
}

static inline bool
type_is_allowed(const cJSON *types, const cJSON *value)
{
	const cJSON *type;

	if (cJSON_IsString(types))
		return has_type(value, types->valuestring);
	cJSON_ArrayForEach(type, types)
	{
		if (has_type(value, type->valuestring))
			return true;
	}
	return false;
}

static inline void
remember(struct validation *validation, const cJSON *property)
{
	for (size_t i = 0; i < validation->nused; i++) {
		if (validation->used[i] == property)
			return;
	}
	if (validation->nused < sizeof(validation->used) / sizeof(validation->used[0]))
		validation->used[validation->nused++] = property;
}

static inline bool
validate_object(struct validation *validation, const cJSON *schema, const cJSON *value)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required");
	const cJSON *key;

	cJSON_ArrayForEach(key, required)
	{
		if (!cJSON_GetObjectItemCaseSensitive(value, key->valuestring))
			return refuse(validation, "a required key is missing", key);
	}
	cJSON_ArrayForEach(key, value)
	{
		const cJSON *property = cJSON_GetObjectItemCaseSensitive(properties, key->string);

		if (!property)
			property = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
		if (!cJSON_IsObject(property))
			return refuse(validation, "a key is not in the schema", key);
		remember(validation, property);
		if (!validate(validation, property, key))
			return false;
	}
	return true;
}

static inline const cJSON *
resolve(const struct validation *validation, const cJSON *schema)
{
	const cJSON *ref = cJSON_GetObjectItemCaseSensitive(schema, "$ref");
	const cJSON *defs = cJSON_GetObjectItemCaseSensitive(validation->schema, "$defs");

	return ref ? cJSON_GetObjectItemCaseSensitive(defs, ref->valuestring + strlen("#/$defs/"))
		   : schema;
}

static inline bool
is_one_of(const cJSON *options, const cJSON *value)
{
	const cJSON *option;

	cJSON_ArrayForEach(option, options)
	{
		if (cJSON_Compare(option, value, true))
			return true;
	}
	return false;
}

static inline bool
validate(struct validation *validation, const cJSON *schema, const cJSON *value)
{
	schema = resolve(validation, schema);
	const cJSON *any = cJSON_GetObjectItemCaseSensitive(schema, "anyOf");
	const cJSON *types = cJSON_GetObjectItemCaseSensitive(schema, "type");
	const cJSON *options = cJSON_GetObjectItemCaseSensitive(schema, "enum");
	const cJSON *constant = cJSON_GetObjectItemCaseSensitive(schema, "const");
	const cJSON *minimum = cJSON_GetObjectItemCaseSensitive(schema, "minimum");
	const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items");
	const cJSON *item;

	/* Ours is always null, or something else. */
	if (any)
		return cJSON_IsNull(value) ||
		       validate(validation, cJSON_GetArrayItem(any, 1), value);
	if (types && !type_is_allowed(types, value))
		return refuse(validation, "a value has another type", value);
	if (options && !is_one_of(options, value))
		return refuse(validation, "a value is none of those listed", value);
	if (constant && !cJSON_Compare(constant, value, true))
		return refuse(validation, "a value is not the constant", value);
	if (minimum && cJSON_IsNumber(value) && value->valuedouble < minimum->valuedouble)
		return refuse(validation, "a value is too small", value);
	if (cJSON_IsObject(value))
		return validate_object(validation, schema, value);
	if (!items || !cJSON_IsArray(value))
		return true;
	cJSON_ArrayForEach(item, value)
	{
		if (!validate(validation, items, item))
			return false;
	}
	return true;
}

/* Counts the properties of a schema that no document showed, and names them. */
static inline size_t
count_unused(const struct validation *validation, const cJSON *schema)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *property;
	size_t unused = 0;

	cJSON_ArrayForEach(property, properties)
	{
		bool used = false;

		for (size_t i = 0; i < validation->nused; i++)
			used = used || validation->used[i] == property;
		if (!used)
			printf("no document has the key %s\n", property->string);
		unused += !used + count_unused(validation, property);
	}
	return unused;
}

/* For a file of the repository; its texts have no zero bytes. */
static inline cJSON *
read_schema(const char *path)
{
	struct buf text = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(file_read(path, &text, 1 << 20, &err), 0);
	CU_ASSERT_EQUAL(strlen(buf_text(&text)), text.len);
	cJSON *schema = cJSON_ParseWithLength(buf_text(&text), text.len);

	buf_release(&text);
	return schema;
}

#endif
