#include "compare/rest_spread.h"

#include <math.h>

/* Fewer functions have no spread. */
#define LEAST_OTHERS 2

/* Whether the change of a function tells what the rest did; one of plain costs does not. */
static bool
tells(const struct effect *effect)
{
	return effect->tested && effect->relative && isfinite(effect->change);
}

static double
weight_of(const struct effect *effect)
{
	return (effect->before_share + effect->after_share) / 2;
}

static double
square_of(const struct effect *effect)
{
	const double z = log1p(effect->change);

	return weight_of(effect) * z * z;
}

struct rest_spread
rest_spread_of(const struct comparison *comparison)
{
	const struct model *model = &comparison->model;
	struct rest_spread rest = {
		.least = COMPARISON_SESSION_SPREAD,
		.rest_grew = fmax(0, log(model->machine_speed)),
	};
	double most = 0;

	if (isnan(model->machine_speed))
		rest.rest_grew = NAN;
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const struct effect *effect = &comparison->self[frame];

		if (!tells(effect))
			continue;
		rest.nfunctions++;
		rest.weight += weight_of(effect);
		rest.squares += square_of(effect);
		if (square_of(effect) > most) {
			most = square_of(effect);
			rest.largest = frame;
		}
	}
	return rest;
}

double
rest_spread_beside(
	const struct rest_spread *rest, const struct comparison *comparison, frame_id frame)
{
	const frame_id but = frame != 0 ? frame : rest->largest;
	const struct effect *effect = but < comparison->nframes ? &comparison->self[but] : NULL;
	const bool is_in = but != 0 && effect && tells(effect);
	const double weight = rest->weight - (is_in ? weight_of(effect) : 0);
	const double squares = rest->squares - (is_in ? square_of(effect) : 0);

	if (rest->nfunctions < LEAST_OTHERS + (size_t)is_in || !(weight > 0))
		return NAN;
	return fmax(rest->least, sqrt(fmax(0, squares) / weight));
}

double
rest_explains(const struct rest_spread *rest, const struct comparison *comparison, frame_id frame,
	bool relative)
{
	return REST_FACTOR * rest_spread_beside(rest, comparison, frame) +
	       (relative ? 0 : rest->rest_grew);
}
