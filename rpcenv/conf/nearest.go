package conf

import "strings"

// Nearest is the name closest to key, the first of several. It is false when all differ in more than three places, or in more than
// one of five bytes: that would be another word.
func Nearest(key string, names []string) (string, bool) {
	if len(key) > 200 {
		return "", false // no typing mistake, and long ones would cost
	}
	limit := min(3, len(key)/5)
	best, least := "", limit+1
	for _, name := range names {
		// A shortcut: the distance is at least the difference of the lengths.
		if max(len(name)-len(key), len(key)-len(name)) >= least {
			continue
		}
		if d := distance(strings.ToLower(key), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best, least <= limit
}

// distance is the least number of bytes to insert, remove, replace or swap with a neighbour to make b of a.
func distance(a, b string) int {
	// The rows of the table of distances between beginnings of a and b (Damerau-Levenshtein); a swap looks two rows back.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
