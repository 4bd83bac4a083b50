#!/usr/bin/python3
"""Compares change points with the marks of people.

usage: trend_marks.py MARKS [ANNOTATIONS] <POINTS

MARKS has a line for each series, six fields between tabs: name, annotators, places that most of
them agree on, places that anyone marked ("-": none), errors, values. ANNOTATIONS is the
rq3/annotations.json of mtucci/changepoint-performance-regression-study, with the marks of each
annotator: F1 is the mean over the series of F1 with margin 5, recall being the mean over their
annotators (van den Burg and Williams, "An evaluation of change point detection algorithms",
arXiv 2003.06222); the first value counts as marked and found. POINTS are of trend_marks.c.

With five parts of the series, drawn by a hash of their names, the scatter of the figures is printed.
"""

import json
import sys
import zlib

MARGIN = 5
PARTS = 5


def places(text):
    return [] if text in ("-", "") else [int(place) for place in text.split(",")]


def is_near(place, others):
    return any(abs(place - other) <= MARGIN for other in others)


def count_matches(marks, found):
    """Marks that are found, each by another point."""
    left, count = set(found), 0
    for mark in marks:
        near = sorted((abs(mark - place), place) for place in left if abs(mark - place) <= MARGIN)
        if near:
            count += 1
            left.remove(near[0][1])
    return count


def f1(annotators, found):
    marks = [set(annotator) | {0} for annotator in annotators]
    found = set(found) | {0}
    precision = count_matches(set().union(*marks), found) / len(found)
    recall = sum(count_matches(each, found) / len(each) for each in marks) / len(marks)
    return 2 * precision * recall / (precision + recall)


def print_row(name, series, points, annotations):
    agreed = found = unmarked = quiet = alarms = 0
    scores = []
    for key, (agreed_places, any_places) in series.items():
        agreed += len(agreed_places)
        found += sum(is_near(place, points[key]) for place in agreed_places)
        unmarked += sum(not is_near(place, any_places) for place in points[key])
        quiet += not any_places
        alarms += not any_places and bool(points[key])
        if annotations:
            scores.append(f1(annotations[key].values(), points[key]))
    score = "%.3f" % (sum(scores) / len(scores)) if scores else "-"
    print("%-9s %4d of %4d  %8d  %6d of %3d  %5s" % (
        name, found, agreed, unmarked, alarms, quiet, score))


def main():
    series = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                fields = line.rstrip("\n").split("\t")
                series[fields[0]] = places(fields[2]), places(fields[3])
    points = {}
    for line in sys.stdin:
        name, found = line.rstrip("\n").split("\t")
        points[name] = places(found)
    annotations = None
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            annotations = json.load(file)
    print("series    agreed, found  unmarked  alarms, quiet  F1")
    print_row("all", series, points, annotations)
    for part in range(PARTS):
        chosen = {key: marks for key, marks in series.items()
                  if zlib.crc32(key.encode()) % PARTS == part}
        if chosen:
            print_row("part %d" % (part + 1), chosen, points, annotations)


if __name__ == "__main__":
    main()
