/* Zoom, the way back from it, sides of a difference; and all of it in the address. */

/* The first of each is that of an address that does not name one. */
const VIEWS = ["difference", "before", "after"];
const COLOURS = ["total", "self"];
const CLASSES = 1; /* of a name, after the name itself */

/* FNV-1a over what is known of a function. */
function hashOf(graph, name) {
	let hash = 2166136261;

	const known = graph.names[name].filter((_, i) => i !== CLASSES);

	for (const character of known.join("\t")) {
		hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
	}
	return hash;
}

/* A box by the functions from the whole to it, whatever the width or direction of the picture. */
const joined = (below, name) => Math.imul(below ^ name, 16777619) + 1 >>> 0;
/* In a chart the same path is there many times: the box's number. */
const addressOf = (graph, i) => (isChart(graph) ? i.toString(16) : pathTo(graph, i).slice(1).reduce((below, k) =>
	joined(below, hashOf(graph, graph.boxes[k].name)), 0).toString(16));

function boxAt(graph, address) {
	if (isChart(graph)) {
		return parseInt(address, 16) < graph.boxes.length ? parseInt(address, 16) : -1;
	}
	const hashes = graph.names.map((_, name) => hashOf(graph, name));
	const found = [0];

	graph.boxes.slice(1).forEach((box) => found.push(joined(found[box.parent], hashes[box.name])));
	return found.indexOf(parseInt(address, 16));
}

/* Only its own picture has an address; in a page it is the page's. */
function remember(graph) {
	const state = [];

	if (!graph.alone) {
		return;
	}
	if (graph.zoomed > 0) {
		state.push("zoom=" + addressOf(graph, graph.zoomed));
	}
	if (graph.query) {
		state.push("search=" + encodeURIComponent(graph.query));
	}
	if (graph.boxes !== graph.main) {
		state.push("sandwich=" + hashOf(graph, graph.sandwich).toString(16));
	}
	if (graph.icicle !== graph.made.icicle) {
		state.push("icicle=" + Number(graph.icicle));
	}
	if (graph.diff && graph.view !== VIEWS[0]) {
		state.push("view=" + graph.view);
	}
	if (graph.diff && graph.colour !== COLOURS[0]) {
		state.push("colour=" + graph.colour);
	}
	try {
		history.replaceState(null, "", "#" + state.join("&"));
	} catch (refused) {
		/* Some embeddings refuse it; the state is a convenience. */
	}
}

/* Two lines at the foot: what it is, and its numbers. Each is cut to the width. */
function say(graph, words) {
	const columns = Math.floor(graph.drawing / COLUMN);
	const [name, ...numbers] = words;

	graph.details[0].textContent = name ? label(name, columns) : "";
	graph.details[1].textContent = label(numbers.join("   "), columns);
}

/*
 * Path of the zoomed box as text to click, without its middle where there is no room; that of a
 * sandwich begins with the way back from it.
 */
function drawCrumbs(graph) {
	const back = graph.boxes === graph.main ? [] : [{ text: "all", act: () => leaveSandwich(graph) }];
	const path = graph.zoomed > 0 || back.length > 0 ? pathTo(graph, graph.zoomed) : [];
	const columns = Math.floor(graph.drawing / COLUMN) - 6;
	const steps = back.concat(path.map((i) => ({
		text: label(nameOf(graph, graph.boxes[i]), Math.min(30, columns / 2)),
		to: nameOf(graph, graph.boxes[i]),
		here: i === graph.zoomed,
		act: () => goTo(graph, i),
	})));
	let first = 1;
	let used = steps.reduce((sum, { text }) => sum + Array.from(text).length + 3, 0);

	for (; used > columns && first < steps.length - 1; first++) {
		used -= Array.from(steps[first].text).length + 3;
	}
	graph.crumbs.replaceChildren();
	let x = MARGIN;

	steps.forEach(({ text, to, here, act }, k) => {
		if (k > 0 && k < first) {
			return;
		}
		const lead = k === 0 ? "" : k === first && first > 1 ? "\u00a0\u203a\u00a0\u2026\u00a0\u203a\u00a0" : "\u00a0\u203a\u00a0";

		element(graph.crumbs, "text", { x: px(x), y: graph.crumbsY }, lead);
		x += lead.length * COLUMN;
		const crumb = button(graph, graph.crumbs, text, { x: px(x), y: graph.crumbsY }, act);

		crumb.setAttribute("aria-label", to ? "zoom to " + to : "back to the whole picture");
		if (here) {
			crumb.setAttribute("aria-current", "location");
		}
		x += columnsOfAll(text) * COLUMN;
	});
}

function zoom(graph, i) {
	const box = graph.boxes[i];

	if (box.name === GATHERED || !(valueOf(graph, box) > 0)) {
		return;
	}
	graph.zoomed = i;
	redraw(graph);
	remember(graph);
}

/* All that follows from what is to be seen. */
function redraw(graph) {
	draw(graph);
	drawCrumbs(graph);
	showTools(graph);
	showResult(graph);
}

/* Zooms and leaves the focus on the box: what was clicked may be gone. */
function goTo(graph, i) {
	zoom(graph, i);
	focusOn(graph, graph.zoomed);
}

function choose(graph, next) {
	graph.view = next.view || graph.view;
	graph.colour = next.colour || graph.colour;
	graph.viewButton.textContent = "Shown: " + graph.view;
	graph.colourButton.textContent = "Colour: " + graph.colour;
	place(graph);
	findMatches(graph);
	zoom(graph, valueOf(graph, graph.boxes[graph.zoomed]) > 0 ? graph.zoomed : 0);
}

/*
 * Shows what the address says, and nothing else: it may have changed under an open picture. A link
 * may have "function=NAME" for the search of that name and the zoom to its largest box.
 */
function restore(graph) {
	const state = new URLSearchParams(location.hash.slice(1));
	const known = (key, values) => (values.includes(state.get(key)) ? state.get(key) : values[0]);
	const called = state.get("function");
	const query = called ? "=" + called : state.get("search") || "";
	const name = state.get("sandwich") ? graph.names.findIndex((_, i) =>
		i > WHOLE && hashOf(graph, i).toString(16) === state.get("sandwich")) : -1;

	graph.icicle = state.get("icicle") ? state.get("icicle") === "1" : graph.made.icicle;
	if (name > WHOLE) {
		enterSandwich(graph, name);
	} else if (graph.boxes !== graph.main) {
		leaveSandwich(graph);
	}
	const target = state.get("zoom") ? Math.max(boxAt(graph, state.get("zoom")), 0) : 0;

	if (graph.diff) {
		choose(graph, { view: known("view", VIEWS), colour: known("colour", COLOURS) });
	}
	openSearch(graph, Boolean(query));
	if (query) {
		graph.field.value = query;
		search(graph, query);
	}
	zoom(graph, called && graph.matches.length > 0 ? graph.matches[0] : target);
}
