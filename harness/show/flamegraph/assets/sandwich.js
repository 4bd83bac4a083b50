/*
 * The sandwich of a function: all that calls it above, all that it calls below, wherever in the
 * picture it is. Made of the boxes there are; calls within calls of it count once.
 */

const canSandwich = (graph) => !graph.diff && graph.boxes === graph.main && !graph.sandwich &&
	graph.boxes[chosen(graph)].name > WHOLE;

/* The box that a tool is about: what is selected, else what is zoomed to. */
const chosen = (graph) => graph.focused || graph.zoomed;

/* The node of a merged tree for a name, made where it is new. */
function mergedChild(node, name, up) {
	if (!node.children.has(name)) {
		node.children.set(name, { name, up, width: 0, self: 0, children: new Map() });
	}
	return node.children.get(name);
}

function addCallees(boxes, from, root) {
	const open = [root];

	for (let i = from + 1; i < boxes[from].end; i++) {
		const level = boxes[i].depth - boxes[from].depth;

		open[level] = mergedChild(open[level - 1], boxes[i].name, false);
		open[level].width += boxes[i].width;
		open[level].self += boxes[i].self;
	}
}

function addCallers(boxes, from, root) {
	let node = root;

	for (let i = boxes[from].parent; i > 0; i = boxes[i].parent) {
		node = mergedChild(node, boxes[i].name, true);
		node.width += boxes[from].width;
	}
}

/* As boxes, callees first; siblings by name, and what is gathered last. */
function flattened(graph, callees, callers) {
	const boxes = [];
	const byName = (a, b) => (a.name === GATHERED) - (b.name === GATHERED) ||
		(graph.names[a.name][0] < graph.names[b.name][0] ? -1 : 1);
	const waiting = [{ node: callers, depth: 0 }, { node: callees, depth: 0 }];

	while (waiting.length > 0) {
		const { node, depth } = waiting.pop();

		if (depth > 0 || node === callees) {
			const { name, up, width, self } = node;

			boxes.push({ depth, up, name, width, self, parent: 0, end: 0, x: 0 });
		}
		Array.from(node.children.values()).sort(byName).reverse().forEach((child) =>
			waiting.push({ node: child, depth: depth + 1 }));
	}
	return link(boxes);
}

function sandwichOf(graph, name) {
	const [callees, callers] = [false, true].map((up) =>
		({ name, up, width: 0, self: 0, children: new Map() }));

	for (let i = 1; i < graph.main.length;) {
		const box = graph.main[i];

		if (box.name !== name) {
			i++;
			continue;
		}
		callees.width += box.width;
		callees.self += box.self;
		addCallees(graph.main, i, callees);
		addCallers(graph.main, i, callers);
		i = box.end;
	}
	return flattened(graph, callees, callers);
}

/* Other boxes to draw: nothing of those before is left. */
function setBoxes(graph, boxes, name) {
	graph.boxes = boxes;
	graph.sandwich = name;
	graph.shapes = [];
	graph.indices = new Map();
	graph.tree.replaceChildren();
	graph.zoomed = 0;
	graph.focused = 0;
	place(graph);
	findMatches(graph);
	redraw(graph);
	remember(graph);
	point(graph, 0);
}

function enterSandwich(graph, name) {
	const boxes = sandwichOf(graph, name);

	if (boxes[0].width > 0) {
		setBoxes(graph, boxes, name);
	}
}

const leaveSandwich = (graph) => setBoxes(graph, graph.main, 0);
