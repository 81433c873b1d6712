// Package figures makes figures for people out of measured numbers.
package figures

import (
	"slices"
	"strconv"
)

// Median is the middle one of at least one number, or the mean of the two in the middle.
func Median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Short writes a number that is not negative in three digits, with k, M or G for thousands; beyond 1000G it has more digits.
func Short(n float64) string {
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
