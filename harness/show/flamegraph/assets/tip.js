/* The tooltip at the pointer: what is said of a box, with module and place. */

const TIP_LINE = 14;
const TIP_PAD = 6;
const TIP_COLUMNS = 90;
const TIP_LINES = 12;

/* A long name in several lines. */
function wrapped(graph, i) {
	const columns = Math.min(TIP_COLUMNS, Math.floor((graph.drawing - 2 * TIP_PAD) / COLUMN));

	return tooltip(graph, i).flatMap((line) => {
		const characters = Array.from(line);
		const parts = [];

		for (let at = 0; at < characters.length;) {
			const rest = characters.slice(at);
			const fits = head(rest, columns);
			const blank = fits < rest.length ? rest.slice(0, fits).lastIndexOf(" ") + 1 : 0;
			const length = blank > fits / 2 ? blank : Math.max(fits, 1);

			parts.push(rest.slice(0, length).join(""));
			at += length;
		}
		return parts;
	}).slice(0, TIP_LINES);
}

/* The pointer in the picture's own units. */
function pointerIn(graph, event) {
	const at = graph.svg.createSVGPoint();

	at.x = event.clientX;
	at.y = event.clientY;
	return at.matrixTransform(graph.svg.getScreenCTM().inverse());
}

function moveTip(graph, event) {
	const at = pointerIn(graph, event);
	const { width, height } = graph.tipSize;
	const x = Math.max(2, Math.min(at.x + 12, graph.width - width - 2));
	const y = at.y + 16 + height <= graph.height ? at.y + 16 : Math.max(2, at.y - height - 8);

	graph.tip.setAttribute("transform", "translate(" + px(x) + " " + px(y) + ")");
}

function showTip(graph, i, event) {
	const words = wrapped(graph, i);
	const width = Math.max(...words.map(columnsOfAll)) * COLUMN + 2 * TIP_PAD;
	const height = words.length * TIP_LINE + 2 * TIP_PAD - 2;

	graph.tip.replaceChildren();
	graph.tipSize = { width, height };
	element(graph.tip, "path", { d: "M0 0h" + px(width) + "v" + height + "h-" + px(width) + "z" });
	words.forEach((line, k) => element(graph.tip, "text",
		{ x: TIP_PAD, y: TIP_PAD + 10 + k * TIP_LINE }, line));
	moveTip(graph, event);
	graph.tip.setAttribute("display", "inline");
}

const hideTip = (graph) => graph.tip.setAttribute("display", "none");
