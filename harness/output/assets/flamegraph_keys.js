/* The keyboard: from box to box, and to the tools. One box is the stop of the Tab key. */

function focusOn(graph, i) {
	const box = graph.boxes[i];
	const shown = graph.shapes[i];
	const words = lines(graph, box);

	graph.shapes[graph.focused].removeAttribute("tabindex");
	graph.focused = i;
	shown.setAttribute("tabindex", "0");
	shown.setAttribute("role", "treeitem");
	shown.setAttribute("aria-level", box.depth + 1);
	shown.setAttribute("aria-label", words.join(", "));
	shown.focus();
	say(graph, words.join("   "));
}

const isSeen = (graph, i) => !graph.seen || graph.seen.has(i);

function nextSibling(graph, i) {
	const { boxes } = graph;

	for (let k = boxes[i].end; k < boxes[boxes[i].parent].end && i > 0; k = boxes[k].end) {
		if (isSeen(graph, k)) {
			return k;
		}
	}
	return i;
}

function previousSibling(graph, i) {
	const { boxes } = graph;
	let last = i;

	for (let k = boxes[i].parent + 1; k < i; k = boxes[k].end) {
		last = isSeen(graph, k) ? k : last;
	}
	return last;
}

/* The first box above that can be seen. */
function child(graph, i) {
	const { boxes } = graph;

	for (let k = i + 1; k < boxes[i].end; k = boxes[k].end) {
		if (isSeen(graph, k)) {
			return k;
		}
	}
	return i;
}

/* Where a key leads from the focused box, or -1 if it is no such key. */
function move(graph, key) {
	const i = graph.focused;

	switch (key) {
	case "ArrowLeft":
		return previousSibling(graph, i);
	case "ArrowRight":
		return nextSibling(graph, i);
	case "Home":
		return graph.zoomed;
	case "ArrowUp":
	case "ArrowDown":
		return key === (graph.icicle ? "ArrowDown" : "ArrowUp") ? child(graph, i)
			: graph.boxes[i].parent;
	default:
		return -1;
	}
}

function onEscape(graph) {
	if (graph.holder.getAttribute("display") === "inline") {
		openSearch(graph, false);
		graph.shapes[graph.focused].focus();
	} else {
		zoom(graph, 0);
	}
}

function onKey(graph, event) {
	const find = event.key === "/" || ((event.ctrlKey || event.metaKey) && event.key === "f");

	if (event.key === "Escape") {
		onEscape(graph);
	} else if (event.target === graph.field) {
		return;
	} else if (find) {
		openSearch(graph, true);
	} else if (event.ctrlKey || event.metaKey || event.altKey) {
		return;
	} else if (event.key === "Enter" && event.target === graph.shapes[graph.focused]) {
		zoom(graph, graph.focused);
	} else if (move(graph, event.key) >= 0) {
		focusOn(graph, move(graph, event.key));
	} else {
		return;
	}
	event.preventDefault();
}
