package proof

import "math/rand/v2"

// draws is where a generator takes its choices from: chance, or the script of
// choices made before. 0 is always the simplest choice, so a script with parts
// left out or set to 0 makes a simpler case; that is how failures are shrunk.
type draws struct {
	r      *rand.Rand
	script []uint32
	log    []uint32
}

func fromSeed(seed, n uint64) *draws { return &draws{r: rand.New(rand.NewPCG(seed, n))} }

// n draws a number from 0 to k-1.
func (d *draws) n(k int) int {
	x := 0
	if d.r != nil {
		x = d.r.IntN(k)
	} else if i := len(d.log); i < len(d.script) {
		x = int(d.script[i]) % k
	}
	d.log = append(d.log, uint32(x))
	return x
}

// oneIn is true once in k.
func (d *draws) oneIn(k int) bool { return d.n(k) == k-1 }

func pick[T any](d *draws, xs []T) T { return xs[d.n(len(xs))] }

// shrink makes a script smaller while it still fails, until nothing helps or
// the tries are used up.
func shrink(script []uint32, tries int, fails func([]uint32) bool) []uint32 {
	try := func(s []uint32) bool {
		if tries <= 0 {
			return false
		}
		tries--
		if !fails(s) {
			return false
		}
		script = s
		return true
	}
	for changed := true; changed && tries > 0; {
		changed = false
		for size := max(len(script)/2, 1); size > 0; size /= 2 {
			for at := len(script) - size; at >= 0; at -= size {
				if at+size > len(script) {
					continue
				}
				cut := append(append([]uint32(nil), script[:at]...), script[at+size:]...)
				if try(cut) {
					changed = true
					continue
				}
				zero := append([]uint32(nil), script...)
				some := false
				for i := at; i < at+size; i++ {
					some = some || zero[i] != 0
					zero[i] = 0
				}
				if some && try(zero) {
					changed = true
				}
			}
		}
	}
	return script
}
