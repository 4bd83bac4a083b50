/*
 * Drawing what is to be seen. A zoom costs as much as what it shows: boxes out of sight leave the
 * document, and those that nobody can point at are one shape for each colour.
 */

const PADDING = 3;
const COLUMN = 6.63;
const EDGE_PX = 4;
const POINT_PX = 1;
const CHART_GAP = 0.1;

/* As in flamegraph/svg_box.c: which levels are drawn. */
const MOST_LEVELS = 400;
const FREE_LEVELS = 60;
const LEVEL_PX = 12;
const CALLERS_KEPT = 8;

const rounded = (value) => Math.round(value * 100) / 100;
const px = (value) => String(rounded(value));
const isUp = (graph, box) => (graph.sandwich ? box.up : !graph.icicle);
const yOf = (graph, box) => graph.top + graph.row *
	(graph.root + (isUp(graph, box) ? -1 : 1) * (box.depth - graph.base));
/* In a difference two bars are below it. */
const textY = (graph, box) =>
	yOf(graph, box) + Math.floor((graph.row - (graph.diff ? 6 : 0)) / 2) + 4;
const isHit = (graph, box) => graph.hits !== null && graph.hits[box.name];
/* Its sandwich is none. */
const isChart = (graph) => graph.chart && graph.boxes === graph.main;
const isSeen = (graph, i) => graph.seen.has(i);

/* What happened to it, of a difference. */
const kindOf = (graph, box) => (graph.diff ? box[graph.colour].kind : "");
const classOf = (graph, box) => (graph.diff && box.name <= WHOLE ? kindOf(graph, box)
	: (kindOf(graph, box) + " " + (graph.names[box.name][CLASSES] || "")).trim());

/*
 * The boxes in the present zoom that are wide enough, in their order, with their edges; and of
 * those that are not the lowest.
 */
function findBoxes(graph) {
	const { boxes, zoomed } = graph;
	const target = boxes[zoomed];
	const scale = graph.drawing / (valueOf(graph, target) || 1);
	const wide = pathTo(graph, zoomed).map((i) =>
		({ i, box: boxes[i], left: MARGIN, right: MARGIN + graph.drawing }));
	const narrow = [];

	for (let i = zoomed + 1; i < target.end;) {
		const box = boxes[i];
		const left = MARGIN + (box.x - target.x) * scale;
		const size = valueOf(graph, box) * scale;
		const one = { i, box, left: rounded(left), right: rounded(left + size) };

		if (size > 0) {
			(size >= LEAST_PX ? wide : narrow).push(one);
		}
		/* None above is wider. */
		i = size >= LEAST_PX ? i + 1 : box.end;
	}
	return { wide, narrow };
}

/*
 * How many levels of `wide` are drawn from `base` on: as in flamegraph/svg_box.c, and those where a
 * search found a box that one can point at.
 */
function countLevels(graph, wide, base) {
	const sizes = [];
	let levels = 1;

	for (const { box, left, right } of wide) {
		const level = box.depth - base;
		const size = right - left;

		sizes[level] = (sizes[level] || 0) + size;
		if (level < FREE_LEVELS && size >= (isHit(graph, box) ? POINT_PX : EDGE_PX)) {
			levels = Math.max(levels, level + 1);
		}
	}
	while (levels < MOST_LEVELS && sizes[levels] > 0 && (sizes[levels] >= LEVEL_PX ||
		isChart(graph) && levels < FREE_LEVELS)) {
		levels++;
	}
	return levels;
}

/*
 * Finds the rows, and where they go: a zoom may show levels that the whole picture leaves out. No
 * zoom has fewer rows than the picture had at first: boxes stay under the pointer.
 */
function findRows(graph, wide) {
	const { depth } = graph.boxes[graph.zoomed];
	const deepest = wide.reduce((most, { box }) => Math.max(most, box.depth), 0);
	const above = graph.sandwich
		? countLevels(graph, wide.filter(({ box }) => box.up), 0) - 1 : 0;

	graph.base = deepest >= MOST_LEVELS ? Math.max(0, depth - CALLERS_KEPT) : 0;
	const levels = countLevels(
		graph, graph.sandwich ? wide.filter(({ box }) => !box.up) : wide, graph.base);
	const rows = Math.max(above + levels,
		graph.boxes === graph.main ? graph.made.rows : 0);

	graph.root = graph.sandwich ? above : graph.icicle ? 0 : rows - 1;
	setRows(graph, rows);
	return ({ box }) => box.depth >= graph.base &&
		box.depth - graph.base < (graph.sandwich && box.up ? above + 1 : levels);
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
	const state = classOf(graph, box) + (i < graph.zoomed ? " above" : "") +
		(one.right - one.left >= EDGE_PX ? " w" : "") + (isHit(graph, box) ? " match" : "");

	if (!graph.shapes[i]) {
		graph.shapes[i] = document.createElementNS(SVG, "path");
		graph.indices.set(graph.shapes[i], i);
	}
	setAttributes(graph.shapes[i],
		{ class: state, d: outline(graph, one), "aria-label": nameOf(graph, box) });
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

/* The shade is for what can be distinguished from its neighbours. */
const hueOf = (graph, box) => (graph.diff ? classOf(graph, box)
	: classOf(graph, box).replace(/^(\w)\d\b/, "$12"));

/* Neighbours of one colour are one shape. */
function drawSlivers(graph, slivers, narrow) {
	const shapes = new Map();
	const last = new Map();
	const gap = isChart(graph) ? CHART_GAP : 0.01;
	const flush = (kind, one) => {
		if (isChart(graph)) {
			one.right = Math.max(one.right, one.left + CHART_GAP);
		}
		if (one.right - one.left >= LEAST_PX) {
			shapes.set(kind, (shapes.get(kind) || "") + outline(graph, one));
		}
	};
	const add = (hue, one) => {
		const kind = hue + (isHit(graph, one.box) ? " match" : "");
		const row = kind + " " + yOf(graph, one.box);
		const before = last.get(row);

		if (before && Math.abs(one.left - before.right) <= gap + 0.0001) {
			before.right = Math.max(before.right, one.right);
			return;
		}
		if (before) {
			flush(kind, before);
		}
		last.set(row, { ...one, kind });
	};

	slivers.forEach((one) => add(hueOf(graph, one.box), one));
	narrow.forEach((one) => add("o", one));
	last.forEach((one) => flush(one.kind, one));
	graph.slivers.replaceChildren();
	shapes.forEach((d, kind) => element(graph.slivers, "path", { class: kind, d }));
}

/* The sign beside the colour of a difference: what happened, whatever hue stands for it. */
function prefix(graph, box) {
	const kind = kindOf(graph, box);
	const less = /^(s\d|gone)/.test(kind) !== graph.negate;

	if (kind === "new" || kind === "gone") {
		return less ? "\u25bcgone " : "\u25b2new ";
	}
	return /^[gs]\d/.test(kind) ? (less ? "\u25bc" : "\u25b2") : "";
}

function drawLabels(graph, shown) {
	const fresh = document.createDocumentFragment();

	for (const { box, left, right } of shown) {
		const sign = prefix(graph, box);
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

	for (const { box, left, right } of shown) {
		if (!/^[gs]\d/.test(kindOf(graph, box)) || right - left < EDGE_PX || !(box.width > 0)) {
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
	const { wide, narrow } = findBoxes(graph);
	const hasRow = findRows(graph, wide);
	const drawn = wide.filter(hasRow);
	const shown = drawn.filter((one) => one.right - one.left >= POINT_PX);

	shown.forEach((one) => drawBox(graph, one));
	putBoxes(graph, shown);
	graph.seen = new Set(shown.map((one) => one.i));
	drawSlivers(graph, drawn.filter((one) => one.right - one.left < POINT_PX), narrow.filter(hasRow));
	drawLabels(graph, shown);
	if (graph.diff) {
		drawBars(graph, shown);
	}
	if (graph.chart) {
		drawAxis(graph);
	}
	keepFocus(graph, held);
}
