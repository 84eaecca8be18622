package answer

import (
	"strconv"
	"testing"
)

// TestInScope: the rows in scope are found whatever lies between them, few of many rows by few queries, and at worst with two queries for a row.
func TestInScope(t *testing.T) {
	for every, most := range map[int]int{1: 10, 2: 2010, 7: 1000, 1000: 40, 5000: 10} {
		var keys []keyOf
		for n := range 1000 {
			keys = append(keys, keyOf{row: strconv.Itoa(n)})
		}
		is := func(k keyOf) bool { n, _ := strconv.Atoi(k.row); return n%every == every-1 }
		queries, in := 0, map[string]bool{}
		err := inScope(keys, func(of []keyOf) (found int, err error) {
			queries++
			for _, k := range of {
				if is(k) {
					found++
				}
			}
			return found, nil
		}, in)
		for _, k := range keys {
			if in[k.row] != is(k) {
				t.Errorf("one in %d: row %s is in scope: %v", every, k.row, in[k.row])
			}
		}
		if err != nil || queries > most {
			t.Errorf("one in %d: %d queries, want at most %d; %v", every, queries, most, err)
		}
	}
}
