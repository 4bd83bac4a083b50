/* What the reader asks for: zoom, search, sides of a difference; and its state in the address. */

/* Only a picture of its own has an address; in a page it is the page's. */
function remember(graph) {
	const state = [];

	if (!graph.alone) {
		return;
	}
	if (graph.zoomed > 0) {
		state.push("zoom=" + graph.zoomed);
	}
	if (graph.query) {
		state.push("search=" + encodeURIComponent(graph.query));
	}
	if (graph.diff && graph.view !== "difference") {
		state.push("view=" + graph.view);
	}
	if (graph.diff && graph.colour !== "total") {
		state.push("colour=" + graph.colour);
	}
	try {
		history.replaceState(null, "", "#" + state.join("&"));
	} catch (refused) {
		/* Some embeddings refuse it; the state is a convenience. */
	}
}

function say(graph, text) {
	if (graph.details.textContent !== text) {
		graph.details.textContent = text;
	}
}

function zoom(graph, i) {
	const box = graph.boxes[i];

	if (box.name === GATHERED || !(valueOf(graph, box) > 0)) {
		return;
	}
	graph.zoomed = i;
	draw(graph);
	graph.reset.setAttribute("display", i > 0 ? "inline" : "none");
	remember(graph);
}

/* The sum of what `weigh` gives for all that matches, a match within a match counted once. */
function matched(graph, weigh) {
	let sum = 0;

	for (let i = 1; i < graph.boxes.length;) {
		const box = graph.boxes[i];
		const hit = isHit(graph, box);

		sum += hit ? weigh(box) : 0;
		i = hit ? box.end : i + 1;
	}
	return sum;
}

/* Which names match, or null if the text is no regular expression. */
function findNames(graph, text) {
	try {
		const pattern = new RegExp(text, text === text.toLowerCase() ? "i" : "");

		return graph.names.map(([name], line) => line > WHOLE && pattern.test(name));
	} catch (wrong) {
		return null;
	}
}

function resultOf(graph) {
	const of = (side) => percent(share(matched(graph, (box) => box.total[side]), graph.whole[side]));

	if (graph.hits === null) {
		return graph.query ? "not a regular expression" : "";
	}
	return "matched " + (graph.diff ? of("before") + " \u2192 " + of("after")
		: percent(share(matched(graph, (box) => box.width), graph.boxes[0].width)));
}

function search(graph, text) {
	graph.query = text;
	graph.hits = text ? findNames(graph, text) : null;
	if (text && graph.hits === null) {
		graph.field.setAttribute("aria-invalid", "true");
	} else {
		graph.field.removeAttribute("aria-invalid");
		remember(graph);
	}
	graph.result.textContent = resultOf(graph);
	draw(graph);
}

function openSearch(graph, open) {
	graph.holder.setAttribute("display", open ? "inline" : "none");
	if (open) {
		graph.field.focus();
		graph.field.select();
	} else if (graph.query) {
		graph.field.value = "";
		search(graph, "");
	}
}

function choose(graph, next) {
	graph.view = next.view || graph.view;
	graph.colour = next.colour || graph.colour;
	if (!(valueOf(graph, graph.boxes[graph.zoomed]) > 0)) {
		graph.zoomed = 0;
	}
	graph.viewButton.textContent = "Shown: " + graph.view;
	graph.colourButton.textContent = "Colour: " + graph.colour;
	place(graph);
	draw(graph);
	remember(graph);
}

function restore(graph) {
	const state = new URLSearchParams(graph.alone ? location.hash.slice(1) : "");
	const i = Number(state.get("zoom"));

	if (graph.diff) {
		const known = ["before", "after"].includes(state.get("view"));
		const self = state.get("colour") === "self";

		if (known || self) {
			choose(graph, { view: known ? state.get("view") : "", colour: self ? "self" : "" });
		}
	}
	if (state.get("search")) {
		openSearch(graph, true);
		graph.field.value = state.get("search");
		search(graph, graph.field.value);
	}
	if (Number.isInteger(i) && i > 0 && i < graph.boxes.length) {
		zoom(graph, i);
	}
}
