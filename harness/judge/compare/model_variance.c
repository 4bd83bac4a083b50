/*
 * The ratio estimator of the model (model.h), and its variance within and between sessions.
 */
#include "compare/model.h"

#include <math.h>

/* A stable rest of less than this share of the samples is too small to compare with. */
#define MIN_REST_SHARE 0.1

/* Sums and residual variance of the runs of one session. */
struct session_sums {
	size_t nruns;
	double numerator;
	double denominator;
	double residual_variance; /* of `numerator` about the ratio; 0 for a single run */
};

double
model_side_sum(const struct model *model, const double *values, int side)
{
	double sum = 0;

	for (size_t i = model->first[side]; i < model->first[side + 1]; i++)
		sum += values[i];
	return sum;
}

bool
model_rest_is_large(const struct model *model, const double *rest)
{
	for (int side = 0; side < MODEL_SIDES; side++) {
		double sum = model_side_sum(model, rest, side);

		if (sum < MODEL_MIN_SAMPLES || sum < MIN_REST_SHARE * model->samples[side])
			return false;
	}
	return true;
}

static double
denominator_of(const double *denominator, size_t run)
{
	return denominator ? denominator[run] : 1;
}

/* The session that starts at runs[first]; returns where the next one starts. */
static size_t
sum_session(const struct model *model, const double *numerator, const double *denominator,
	size_t first, struct session_sums *session)
{
	size_t side_end = first < model->first[MODEL_AFTER] ? model->first[MODEL_AFTER]
							    : model->first[MODEL_SIDES];
	size_t end = first;

	*session = (struct session_sums){0};
	while (end < side_end && model->runs[end].session == model->runs[first].session) {
		session->numerator += numerator[end];
		session->denominator += denominator_of(denominator, end);
		end++;
	}
	session->nruns = end - first;
	if (session->nruns < 2 || !(session->denominator > 0))
		return end;
	double ratio = session->numerator / session->denominator;
	double squares = 0;

	for (size_t i = first; i < end; i++) {
		double residual = numerator[i] - ratio * denominator_of(denominator, i);

		squares += residual * residual;
	}
	session->residual_variance =
		squares * (double)session->nruns / (double)(session->nruns - 1);
	return end;
}

void
model_ratio(const struct model *model, const double *numerator, const double *denominator,
	struct model_ratio *ratio)
{
	*ratio = (struct model_ratio){0};
	for (int side = 0; side < MODEL_SIDES; side++) {
		double sum = 0;
		double variance = 0;
		size_t at = model->first[side];

		while (at < model->first[side + 1]) {
			struct session_sums session;

			at = sum_session(model, numerator, denominator, at, &session);
			sum += session.numerator;
			ratio->size[side] += session.denominator;
			variance += session.residual_variance;
			ratio->df[side] += (double)(session.nruns - 1);
		}
		ratio->log_ratio[side] = log(sum / ratio->size[side]);
		ratio->variance[side] = sum > 0 ? variance / (sum * sum) : 0;
	}
}

void
model_pool(const struct model_ratio *ratio, struct model_estimate *estimate)
{
	double inverse[MODEL_SIDES];
	double known = 0;
	double known_squares = 0;
	double all = 0;

	estimate->log_change = ratio->log_ratio[MODEL_AFTER] - ratio->log_ratio[MODEL_BEFORE];
	estimate->variance = 0;
	estimate->df = 0;
	for (int side = 0; side < MODEL_SIDES; side++) {
		inverse[side] = 1 / ratio->size[side];
		all += inverse[side];
		if (!(ratio->df[side] > 0))
			continue;
		known += inverse[side];
		known_squares += inverse[side] * inverse[side] / ratio->df[side];
		estimate->variance += ratio->variance[side];
	}
	if (known > 0) {
		estimate->variance *= all / known;
		estimate->df = known * known / known_squares;
	}
}

double
model_session_variance(
	const struct model *model, const double *numerator, const double *denominator)
{
	size_t at = model->first[MODEL_BEFORE];
	double count = 0;
	double mean = 0;
	double squares = 0;
	double within = 0;

	while (at < model->first[MODEL_AFTER]) {
		struct session_sums session;

		at = sum_session(model, numerator, denominator, at, &session);
		double value = log(session.numerator / session.denominator);
		double step = value - mean;

		/* Not where a session has no samples, or nothing to compare them with. */
		if (!isfinite(value))
			return NAN;
		/* Welford's update, from Technometrics 4 (1962). */
		count++;
		mean += step / count;
		squares += step * (value - mean);
		within += session.residual_variance / (session.numerator * session.numerator);
	}
	return count > 1 ? squares / (count - 1) - within / count : NAN;
}
