package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/show"
)

// markdown is a table. The first column is text, the others are numbers.
func markdown(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|---" + strings.Repeat("|---:", len(head)-1) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// median of at least one number.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[n/2] + x[(n-1)/2]) / 2
}

// short has three digits.
func short(n float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if n >= 999.5 {
			n, unit = n/1000, u
		}
	}
	decimals := 0
	for limit := 99.5; n < limit && decimals < 2; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(n, 'f', decimals, 64) + unit
}

// duration has three digits.
func duration(ns float64) string { return show.ShortDuration(time.Duration(ns)) }
