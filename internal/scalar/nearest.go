package scalar

import "strings"

// Nearest returns the name in names that got most likely means, or "" if none is close. Callers pass only names that the guest may see,
// because a suggestion must not reveal a hidden one.
func Nearest(got string, names []string) string {
	best, dist := "", len(got)/3+1+len(got)/12
	if dist > 4 {
		dist = 4
	}
	g := strings.ToLower(strings.ReplaceAll(got, "_", ""))
	if len(g) == 2 {
		dist = 2 // at most one missing letter, which counts 2, because two changed letters would fit any name
	}
	if len(g) > 64 { // a guest chooses got, and the cost grows with the square of its length
		return ""
	}
	for _, n := range names {
		l := strings.ToLower(strings.ReplaceAll(n, "_", ""))
		if l == g {
			return n
		}
		if len(l) > 64 || len(g) == 2 && len(l) != 3 {
			continue
		}
		if d := editDistance(g, l); d < dist {
			best, dist = n, d
		}
	}
	return best
}

// editDistance counts the edits between two names: insert, delete, replace, swap (optimal string alignment).
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
