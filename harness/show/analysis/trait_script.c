/* Where the time of a script is that an interpreter runs. */
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "format/figures.h"
#include "profile/interpreter.h"
#include "profile/weights.h"

#include <stdlib.h>

/* Less is not reported. */
#define SCRIPT_SHARE 0.1

void
trait_interpreter(struct advices *advices)
{
	const struct profile *profile = advices->data->profile;
	struct interpreter found;

	if (!interpreter_find(profile, &found))
		return;
	struct advice *advice = advice_add(advices, found.share);

	interpreter_put_found(profile, &found, &advice->title);
	buf_printf(&advice->text, "To name them, %s\n", found.advice);
}

/* Functions of the script, each with the weight of what it calls outside of the script. */
static struct analysis_edges
find_functions(const struct analysis_data *data, double *all)
{
	struct script_place *places = script_places(data->profile);
	struct analysis_edges functions = {0};

	*all = 0;
	for (size_t i = 1; i < data->profile->tree.nnodes; i++) {
		if (!places[i].language || !places[i].function || !(data->self[i] > 0))
			continue;
		analysis_edges_add(data, &functions, places[i].function, data->self[i]);
		*all += data->self[i];
	}
	analysis_edges_end(data, &functions);
	free(places);
	return functions;
}

void
trait_script(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	double all;
	struct analysis_edges functions = find_functions(data, &all);

	if (functions.nedges > 0 &&
		analysis_share(data, functions.edges[0].weight) >= SCRIPT_SHARE) {
		struct advice *advice =
			advice_add(advices, analysis_share(data, functions.edges[0].weight));

		analysis_put_name(&advice->title, data->profile, functions.edges[0].frame);
		buf_puts(&advice->title, " is the largest function of the script: ");
		format_percent(&advice->title, advice->share);
		buf_printf(&advice->title, " of the %s, calls that leave the script included",
			weights_noun(data->profile));
		buf_puts(&advice->text, "By function of the script: ");
		analysis_put_parts(&advice->text, data->profile,
			&(struct analysis_parts){&functions, all, 0, false});
		buf_putc(&advice->text, '\n');
	}
	free(functions.edges);
}
