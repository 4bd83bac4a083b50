#!/bin/bash
# What is promised of change points, on simulated years of nights (trend_rates.c).
#
# usage: trend_rates.sh [SERIES]
#
# Simulates SERIES (200) years a condition: how many change points are found where nothing changed,
# at the end of the year and night by night on the way there, and how often a step of 5 % is found
# within 5 nights. CC names the compiler. Prints the rates and judges none of them: the unit tests
# hold the limits.
set -u

cd "$(dirname "$0")/../.." || exit 2

make -s build/bench/trend_rates || exit 2
build/bench/trend_rates "${1:-200}"
