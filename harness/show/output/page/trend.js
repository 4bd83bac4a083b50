/*
 * Chooses what the page of a history shows: a range of nights, a machine class, a part of a workload's
 * or function's name, and the direction, least size and state of a change: of a row's own, and of the
 * last one of a chart. Without script all is shown.
 */
"use strict";

const choice = document.getElementById("choice");
const figures = Array.from(document.querySelectorAll("figure.trend"));
const rows = Array.from(document.querySelectorAll("table.changes tbody tr"));

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

/* Whether the change of a row or chart is of the chosen direction and size. */
function hasChange(each, direction, least) {
	const change = Number(each.dataset.change || 0);

	if (direction === "" && least === 0)
		return true;
	return change !== 0 && Math.abs(change) >= least &&
		(direction === "" || (direction === "slower") === (change > 0));
}

function isNamed(each, name) {
	const title = `${each.dataset.workload} ${each.querySelector("h3, td a").textContent}`;

	return title.toLowerCase().includes(name.toLowerCase());
}

function showSome() {
	for (const each of [...rows, ...figures])
		each.hidden = (where.value !== "" && each.dataset.class !== where.value) ||
			(state.value !== "" && each.dataset.state !== state.value) ||
			!isNamed(each, filter.value) ||
			!hasChange(each, direction.value, Number(size.value));
	/* Groups without a figure to show. */
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
const direction = makeSelect("Change", [["any or none", ""], ["slower", "slower"], ["faster", "faster"]]);
const sizes = [["any size", 0], ["2 % or more", 0.02], ["5 % or more", 0.05], ["10 % or more", 0.1]];
const size = makeSelect("of", sizes);
const states = ["lasts", "accepted", "taken back", "better"];
const state = makeSelect("State", [["any", ""], ...states.map((each) => [each, each])]);
const filter = document.createElement("input");

filter.type = "search";
filter.className = "filter";
labelled("Name", filter);
choice.className = "choice";
range.addEventListener("change", () => showRange(Number(range.value)));
for (const select of [where, direction, size, state])
	select.addEventListener("change", showSome);
filter.addEventListener("input", showSome);
addEventListener("hashchange", showTarget);
showTarget();
