/*
 * Drawing what is to be seen. A zoom costs as much as what it shows: boxes out of sight leave the
 * document, and those that nobody can point at are one shape for each colour.
 */

const PADDING = 3;
const COLUMN = 6.63;
const EDGE_PX = 4;
const POINT_PX = 1;

const rounded = (value) => Math.round(value * 100) / 100;
const px = (value) => String(rounded(value));
const yOf = (graph, box) =>
	graph.top + (graph.icicle ? box.depth : graph.levels - 1 - box.depth) * graph.row;
/* In a difference two bars are below it. */
const textY = (graph, box) =>
	yOf(graph, box) + Math.floor((graph.row - (graph.diff ? 6 : 0)) / 2) + 4;
const isHit = (graph, box) => graph.hits !== null && graph.hits[box.name];
const isSeen = (graph, i) => (graph.seen ? graph.seen.has(i) : graph.shapes[i] !== null);

function classOf(graph, box, i) {
	if (box.base === undefined) {
		box.base = graph.shapes[i].getAttribute("class").split(" ")[0];
	}
	return graph.diff && graph.colour === "self" ? box.selfClass : box.base;
}

/* The boxes to be seen in the present zoom, in their order, with their edges. */
function seenBoxes(graph) {
	const { boxes, zoomed } = graph;
	const target = boxes[zoomed];
	const scale = graph.drawing / (valueOf(graph, target) || 1);
	const seen = pathTo(graph, zoomed).map((i) =>
		({ i, box: boxes[i], left: MARGIN, right: MARGIN + graph.drawing }));

	for (let i = zoomed + 1; i < target.end;) {
		const box = boxes[i];
		const left = MARGIN + (box.x - target.x) * scale;
		const size = valueOf(graph, box) * scale;

		/* None above is wider. */
		if (size >= LEAST_PX) {
			seen.push({ i, box, left: rounded(left), right: rounded(left + size) });
		}
		i = size >= LEAST_PX ? i + 1 : box.end;
	}
	return seen;
}

const outline = (graph, { box, left, right }) =>
	"M" + px(left) + " " + yOf(graph, box) + "h" + px(right - left) + "v" + (graph.row - 1) +
	"h" + px(left - right) + "z";

function setAttributes(shape, attributes) {
	for (const key of Object.keys(attributes)) {
		if (shape.getAttribute(key) !== attributes[key]) {
			shape.setAttribute(key, attributes[key]);
		}
	}
}

function drawBox(graph, one) {
	const { i, box } = one;
	const state = classOf(graph, box, i) + (i < graph.zoomed ? " above" : "") +
		(one.right - one.left >= EDGE_PX ? " w" : "") + (isHit(graph, box) ? " match" : "");

	if (!graph.shapes[i]) {
		graph.shapes[i] = document.createElementNS(SVG, "path");
		graph.indices.set(graph.shapes[i], i);
	}
	setAttributes(graph.shapes[i], { class: state, d: outline(graph, one) });
}

/* Both are in the order of the boxes, so that nothing that stays is moved. */
function putBoxes(graph, shown) {
	const stays = new Set(shown.map(({ i }) => graph.shapes[i]));
	let next = graph.tree.firstElementChild;

	for (const shape of stays) {
		while (next && !stays.has(next)) {
			const gone = next;

			next = next.nextElementSibling;
			gone.remove();
		}
		if (next === shape) {
			next = next.nextElementSibling;
		} else {
			graph.tree.insertBefore(shape, next);
		}
	}
	while (next) {
		const gone = next;

		next = next.nextElementSibling;
		gone.remove();
	}
}

function drawSlivers(graph, slivers) {
	const shapes = new Map();

	for (const one of slivers) {
		const kind = classOf(graph, one.box, one.i) + (isHit(graph, one.box) ? " match" : "");

		shapes.set(kind, (shapes.get(kind) || "") + outline(graph, one));
	}
	graph.slivers.replaceChildren();
	shapes.forEach((d, kind) => element(graph.slivers, "path", { class: kind, d }));
}

/* The sign beside the colour of a difference: what happened, whatever hue stands for it. */
function prefix(graph, box, i) {
	const kind = graph.diff ? classOf(graph, box, i) : "";
	const less = /^(s\d|gone)/.test(kind) !== graph.negate;

	if (kind === "new" || kind === "gone") {
		return less ? "\u25bcgone " : "\u25b2new ";
	}
	return /^[gs]\d/.test(kind) ? (less ? "\u25bc" : "\u25b2") : "";
}

function drawLabels(graph, shown) {
	const fresh = document.createDocumentFragment();

	for (const { i, box, left, right } of shown) {
		const sign = prefix(graph, box, i);
		const columns = Math.floor((right - left - 2 * PADDING) / COLUMN - Array.from(sign).length);
		const text = box.name === GATHERED || columns < 3 ? "" : label(nameOf(graph, box), columns);

		if (text) {
			element(fresh, "text", { x: px(left + PADDING), y: textY(graph, box) }, sign + text);
		}
	}
	graph.labels.replaceChildren(fresh);
}

/* A coloured box's width before (upper line) and after. */
function drawBars(graph, shown) {
	const path = { before: "", after: "" };

	for (const { i, box, left, right } of shown) {
		if (!/^[gs]\d/.test(classOf(graph, box, i)) || right - left < EDGE_PX || !(box.width > 0)) {
			continue;
		}
		const scale = (right - left) / valueOf(graph, box);
		const line = (side, above) => {
			const length = Math.min(right - left, share(box.total[side], graph.barUnit[side]) * scale);

			return "M" + px(left) + " " + (yOf(graph, box) + graph.row - 1 - above) + "h" + px(length);
		};

		path.before += line("before", 4);
		path.after += line("after", 1);
	}
	graph.bars.replaceChildren();
	if (graph.view === "difference") {
		element(graph.bars, "path", { class: "bar-before", d: path.before });
		element(graph.bars, "path", { class: "bar-after", d: path.after });
	}
}

function draw(graph) {
	const held = graph.tree.contains(document.activeElement);
	const seen = seenBoxes(graph);
	const shown = seen.filter((one) => one.right - one.left >= POINT_PX);

	shown.forEach((one) => drawBox(graph, one));
	putBoxes(graph, shown);
	graph.seen = new Set(shown.map((one) => one.i));
	drawSlivers(graph, seen.filter((one) => one.right - one.left < POINT_PX));
	drawLabels(graph, shown);
	if (graph.diff) {
		drawBars(graph, shown);
	}
	keepFocus(graph, held);
}
