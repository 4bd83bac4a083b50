/* The time axis of a flame chart, as flamegraph/svg.c draws it for the whole. */

const AXIS = 16;
const LEAST_TICK = 90;
const NS = 1e9;

/* The smallest of 1, 2 and 5 times a power of ten that is not less. */
function roundStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));

	return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least * (1 - 1e-9));
}

function drawAxis(graph) {
	const target = graph.boxes[graph.zoomed];
	const begin = (graph.begin + target.x) / NS;
	const seconds = target.width / NS;

	graph.axis.replaceChildren();
	if (graph.boxes !== graph.main || !(seconds > 0)) {
		return;
	}
	const step = roundStep(seconds * LEAST_TICK / graph.drawing);
	const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));

	const first = Math.ceil(begin / step - 1e-9);

	/* Counted: of a moment far from the start, the next one may be the same number. */
	for (let i = 0; i <= graph.drawing / LEAST_TICK + 1; i++) {
		const k = first + i;

		if (k * step > begin + seconds) {
			break;
		}
		const x = MARGIN + (k * step - begin) / seconds * graph.drawing;

		element(graph.axis, "path", { d: "M" + px(x) + " " + (graph.top - 6) + "v5" });
		if (x + LEAST_TICK / 2 < graph.width) {
			element(graph.axis, "text", { x: px(x + 3), y: graph.top - 4, stroke: "none" },
				(k * step).toFixed(decimals) + " s");
		}
	}
}
