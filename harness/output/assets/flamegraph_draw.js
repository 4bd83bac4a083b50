/* Drawing what is to be seen: a zoom touches the boxes that were and that will be seen, no others. */

const PADDING = 3;
const COLUMN = 6.63;
const EDGE_PX = 4;

const px = (value) => String(Math.round(value * 100) / 100);
const rounded = (value) => Math.round(value * 100) / 100;
const classOf = (graph, box) => (graph.diff && graph.colour === "self" ? box.selfClass : box.base);
const yOf = (graph, box) =>
	graph.top + (graph.icicle ? box.depth : graph.levels - 1 - box.depth) * graph.row;
const isHit = (graph, box) => graph.hits !== null && graph.hits[box.name];

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

/* The file's own drawing is only read where it may have to change. */
function recall(graph, box, i) {
	const shape = graph.shapes[i];

	if (box.drawn === undefined) {
		box.drawn = shape.getAttribute("d");
		box.state = shape.getAttribute("class");
		box.base = box.state.split(" ")[0];
	}
	return shape;
}

function setShape(shape, box, d) {
	if (box.drawn !== d) {
		shape.setAttribute("d", d);
		box.drawn = d;
	}
}

function drawBox(graph, { i, box, left, right }) {
	const shape = recall(graph, box, i);
	const state = classOf(graph, box) + (i < graph.zoomed ? " above" : "") +
		(right - left >= EDGE_PX ? " w" : "") + (isHit(graph, box) ? " match" : "");

	if (box.state !== state) {
		shape.setAttribute("class", state);
		box.state = state;
	}
	setShape(shape, box, "M" + px(left) + " " + yOf(graph, box) + "h" + px(right - left) + "v" +
		(graph.row - 1) + "h" + px(left - right) + "z");
}

/* The sign beside the colour of a difference. */
function prefix(graph, box) {
	const kind = graph.diff ? classOf(graph, box) : "";

	if (kind === "new" || kind === "gone") {
		return kind === "new" ? "\u25b2new " : "\u25bcgone ";
	}
	return kind[0] === "g" ? "\u25b2" : kind[0] === "s" ? "\u25bc" : "";
}

function drawLabels(graph, seen) {
	const fresh = document.createDocumentFragment();

	for (const { box, left, right } of seen) {
		const sign = prefix(graph, box);
		const columns = Math.floor((right - left - 2 * PADDING) / COLUMN - Array.from(sign).length);
		const text = box.name === GATHERED || columns < 3 ? "" : label(nameOf(graph, box), columns);

		if (text) {
			element(fresh, "text", { x: px(left + PADDING), y: yOf(graph, box) + 12 }, sign + text);
		}
	}
	graph.labels.replaceChildren(fresh);
}

/* A coloured box's width before (upper line) and after. */
function drawBars(graph, seen) {
	const path = { before: "", after: "" };

	for (const { box, left, right } of seen) {
		if (!/^[gs]\d/.test(classOf(graph, box)) || right - left < EDGE_PX || !(box.width > 0)) {
			continue;
		}
		const scale = (right - left) / valueOf(graph, box);
		const line = (side, above) => {
			const length = Math.min(right - left, share(box.total[side], graph.whole[side]) * scale);

			return "M" + px(left) + " " + (yOf(graph, box) + graph.row - 1 - above) + "h" + px(length);
		};

		path.before += line("before", 4);
		path.after += line("after", 1);
	}
	graph.bars.textContent = "";
	if (graph.view === "difference") {
		element(graph.bars, "path", { class: "bar-before", d: path.before });
		element(graph.bars, "path", { class: "bar-after", d: path.after });
	}
}

function draw(graph) {
	const seen = seenBoxes(graph);
	const now = new Set(seen.map((one) => one.i));

	for (const i of graph.seen || graph.boxes.keys()) {
		if (!now.has(i)) {
			setShape(recall(graph, graph.boxes[i], i), graph.boxes[i], "");
		}
	}
	seen.forEach((one) => drawBox(graph, one));
	graph.seen = now;
	drawLabels(graph, seen);
	if (graph.diff) {
		drawBars(graph, seen);
	}
}
