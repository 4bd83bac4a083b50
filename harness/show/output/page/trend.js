/*
 * What the page of a history does beyond showing itself: a range of nights, a machine class and a
 * part of a name are chosen. Without script all is shown.
 */
"use strict";

const choice = document.getElementById("choice");
const figures = Array.from(document.querySelectorAll("figure.trend"));

function labelled(text, element) {
	const label = document.createElement("label");

	label.append(text, " ", element);
	choice.append(label);
	return element;
}

function makeSelect(text, options) {
	const select = document.createElement("select");

	for (const [name, value] of options)
		select.append(new Option(name, value));
	return labelled(text, select);
}

/* The plot is a separate drawing, of which a part is shown; dates and labels follow. */
function showRange(days) {
	for (const chart of document.querySelectorAll("svg.chart")) {
		const plot = chart.querySelector("svg.plot");
		const x = plot.x.baseVal.value;
		const width = plot.width.baseVal.value;
		const allDays = Number(plot.dataset.days);
		const from = days > 0 ? Math.max(allDays - days, 0) : 0;
		const span = allDays - from;

		plot.setAttribute("viewBox", `${from} 0 ${span} 1000`);
		for (const date of chart.querySelectorAll("text.date")) {
			const day = from + span * Number(date.dataset.part);
			const seconds = Number(plot.dataset.first) + day * 86400;

			date.textContent = new Date(seconds * 1000).toISOString().slice(0, allDays < 3 ? 16 : 10);
		}
		for (const label of chart.querySelectorAll("text.label")) {
			const part = (Number(label.dataset.day) - from) / span;

			label.setAttribute("x", x + width * part);
			label.setAttribute("display", part < 0 ? "none" : "inline");
			label.setAttribute("text-anchor",
				part < 0.05 ? "start" : part > 0.95 ? "end" : "middle");
		}
	}
}

function showSome(where, name) {
	for (const figure of figures) {
		const title = figure.querySelector("h3").textContent.toLowerCase();

		figure.hidden = (where !== "" && figure.dataset.class !== where) ||
			!title.includes(name.toLowerCase());
	}
	/* What has nothing left to show. */
	for (const group of document.querySelectorAll("details.others, section.workload"))
		group.hidden = !group.querySelector("figure.trend:not([hidden])");
}

/* A link from the table to a chart that is folded away or not chosen shows it. */
function showTarget() {
	const figure = figures.find((each) => `#${each.id}` === location.hash);

	if (!figure)
		return;
	for (let each = figure; each; each = each.parentElement.closest("[hidden]"))
		each.hidden = false;
	const details = figure.closest("details");

	if (details)
		details.open = true;
	figure.scrollIntoView();
}

const ranges = [["all nights", 0], ["last year", 365], ["last 90 days", 90], ["last 30 days", 30]];
const classes = Array.from(new Set(figures.map((each) => each.dataset.class))).sort();
const range = makeSelect("Nights", ranges);
const where = makeSelect("Machine class", [["all", ""], ...classes.map((each) => [each, each])]);
const filter = document.createElement("input");

filter.type = "search";
filter.className = "filter";
labelled("Function", filter);
choice.className = "choice";
range.addEventListener("change", () => showRange(Number(range.value)));
where.addEventListener("change", () => showSome(where.value, filter.value));
filter.addEventListener("input", () => showSome(where.value, filter.value));
addEventListener("hashchange", showTarget);
showTarget();
