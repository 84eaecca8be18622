package fair_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/internal/fair"
	"pgregory.net/rapid"
)

func enter(t *testing.T, q *fair.Queue[string], group, member string) *fair.Ticket[string] {
	t.Helper()
	x, err := q.Enter(group, member)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func has(x *fair.Ticket[string]) bool {
	select {
	case <-x.Turn():
		return true
	default:
		return false
	}
}

// A group has no more than its share of the places, and what it leaves is for others.
func TestShare(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 3, Share: 2, PerMember: 9, Total: 9})
	a1, a2, a3 := enter(t, q, "a", ""), enter(t, q, "a", ""), enter(t, q, "a", "")
	if !has(a1) || !has(a2) || has(a3) {
		t.Error("a does not have two places")
	}
	b1, b2 := enter(t, q, "b", ""), enter(t, q, "b", "")
	if !has(b1) || has(b2) {
		t.Error("b has not the third place")
	}
	b1.Leave()
	if has(a3) || !has(b2) {
		t.Error("the place of b went to a, which has its share")
	}
	a2.Leave()
	if !has(a3) {
		t.Error("a did not get the place that it gave back")
	}
}

// Bounds hold for members and all, and a claim that is given up frees its room.
func TestBounds(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 1, PerMember: 2, Total: 4})
	first := enter(t, q, "a", "")
	enter(t, q, "a", "")
	last := enter(t, q, "a", "")
	if _, err := q.Enter("a", ""); !errors.Is(err, fair.ErrYours) {
		t.Error(err)
	}
	enter(t, q, "b", "")
	enter(t, q, "c", "")
	if _, err := q.Enter("d", ""); !errors.Is(err, fair.ErrFull) {
		t.Error(err)
	}
	last.Leave()
	last.Leave() // once is enough
	d := enter(t, q, "d", "")
	if n := d.Position(); n != 4 || first.Position() != 0 {
		t.Errorf("d is number %d", n)
	}
	if w, r := q.Len(); w != 4 || r != 1 {
		t.Error(w, r)
	}
}

// Whoever comes and goes: no place is lost or had twice, whoever waits may have none,
// places come in the order that positions say, and nobody has a second turn while
// another waits for the first.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cfg := fair.Config{Places: rapid.IntRange(1, 3).Draw(r, "places"), PerMember: 4, Total: 12}
		cfg.Share = rapid.IntRange(1, cfg.Places).Draw(r, "share")
		cfg.Away = rapid.IntRange(0, 4).Draw(r, "away")
		cfg.AwayShare = rapid.IntRange(0, cfg.Away).Draw(r, "away share")
		q := fair.New[string](cfg)
		type job struct {
			*fair.Ticket[string]
			group string
		}
		var waiting, running, away, back []job // back: those that want a place again
		settle := func() {
			for _, line := range []*[]job{&waiting, &back} {
				for i := 0; i < len(*line); {
					if has((*line)[i].Ticket) {
						running, *line = append(running, (*line)[i]), slices.Delete(*line, i, i+1)
					} else {
						i++
					}
				}
			}
			holds := map[string]int{}
			for _, j := range slices.Concat(away, back) {
				holds[j.group]++
			}
			if jobs, weight := q.Away(); jobs != len(away)+len(back) || weight != jobs {
				r.Fatalf("%d are away and hold %d, not %d", jobs, weight, len(away)+len(back))
			}
			held := map[string]int{}
			for _, j := range running {
				held[j.group]++
				if held[j.group] > cfg.Share {
					r.Fatalf("%s has %d places of %d", j.group, held[j.group], cfg.Share)
				}
			}
			if w, n := q.Len(); w != len(waiting) || n != len(running) || n > cfg.Places {
				r.Fatalf("%d wait and %d run, not %d and %d", len(waiting), len(running), w, n)
			}
			for _, j := range slices.Concat(waiting, back) {
				if len(running) < cfg.Places && held[j.group] < cfg.Share && (slices.Contains(back, j) || begins(cfg, holds, j.group)) {
					r.Fatalf("%s waits for a place that is free", j.group)
				}
			}
		}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 6).Draw(r, "what") {
			case 0, 1:
				g := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "group")
				x, err := q.Enter(g, rapid.SampledFrom([]string{"1", "2"}).Draw(r, "member"))
				if err == nil && has(x) {
					holds := map[string]int{}
					for _, j := range slices.Concat(away, back) {
						holds[j.group]++
					}
					if !begins(cfg, holds, g) {
						r.Fatalf("%s began, and what is away holds as much as it may", g)
					}
				}
				if err == nil {
					waiting = append(waiting, job{x, g})
				}
			case 2:
				if len(running) > 0 {
					i := rapid.IntRange(0, len(running)-1).Draw(r, "done")
					var next *fair.Ticket[string]
					for _, j := range slices.Concat(waiting, back) {
						if j.Position() == 1 {
							next = j.Ticket
						}
					}
					running[i].Leave()
					running = slices.Delete(running, i, i+1)
					if next != nil && cfg.Share == cfg.Places && cfg.Away == 0 && !has(next) {
						r.Fatal("number 1 did not get the place")
					}
				}
			case 3:
				if len(waiting) > 0 {
					i := rapid.IntRange(0, len(waiting)-1).Draw(r, "gone")
					waiting[i].Leave()
					waiting = slices.Delete(waiting, i, i+1)
				}
			case 4:
				if len(running) > 0 {
					i := rapid.IntRange(0, len(running)-1).Draw(r, "yields")
					running[i].Yield(rapid.IntRange(-1, 1).Draw(r, "weight"))
					away, running = append(away, running[i]), slices.Delete(running, i, i+1)
				}
			case 5:
				if len(away) > 0 {
					i := rapid.IntRange(0, len(away)-1).Draw(r, "returns")
					away[i].Return()
					back, away = append(back, away[i]), slices.Delete(away, i, i+1)
				}
			case 6:
				for _, line := range []*[]job{&away, &back} {
					if n := len(*line); n > 0 {
						(*line)[n-1].Leave()
						*line = (*line)[:n-1]
						break
					}
				}
			}
			settle()
		}
		for len(running)+len(away) > 0 {
			line := &running
			if len(away) > 0 {
				line = &away
			}
			(*line)[0].Leave()
			*line = (*line)[1:]
			settle()
		}
		w, n := q.Len()
		if jobs, weight := q.Away(); w != 0 || n != 0 || jobs != 0 || weight != 0 {
			r.Fatalf("%d wait, %d run and %d are away at the end", w, n, jobs)
		}
	})
}

// begins reports whether a job of the group may begin, by what the jobs of each hold that are away.
func begins(c fair.Config, holds map[string]int, group string) bool {
	share := c.AwayShare
	if share < 1 {
		share = c.Away
	}
	all := 0
	for _, n := range holds {
		all += min(n, share)
	}
	return c.Away == 0 || all < c.Away && holds[group] < share
}

// The jobs of one group that have begun can hold more than its share when they all give their places
// back: then none of its own begins, and others do.
func TestOneGroupAway(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 4, Share: 3, PerMember: 9, Total: 9, Away: 10, AwayShare: 6})
	var all []*fair.Ticket[string]
	for range 3 {
		all = append(all, enter(t, q, "c", ""))
	}
	for _, x := range all { // three at once, before any is away
		x.Yield(5)
	}
	if jobs, weight := q.Away(); jobs != 3 || weight != 15 {
		t.Fatalf("%d jobs hold %d", jobs, weight)
	}
	if more := enter(t, q, "c", ""); has(more) {
		t.Error("a group began another job with more than its share away")
	}
	if other := enter(t, q, "b", ""); !has(other) {
		t.Error("what one group holds keeps another from beginning")
	}
}

// A job that gave its place back holds up those that have not begun, by what it holds,
// and comes before them when it wants a place again.
func TestAway(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 1, PerMember: 9, Total: 9, Away: 10, AwayShare: 6})
	first := enter(t, q, "a", "")
	second, others := enter(t, q, "a", ""), enter(t, q, "b", "")
	first.Yield(6)
	if has(second) || !has(others) {
		t.Error("a began another job, with its share away")
	}
	first.Return()
	if has(first) {
		t.Error("two have the one place")
	}
	others.Yield(4)
	if !has(first) || has(second) {
		t.Error("who has begun does not come first")
	}
	first.Yield(6)
	third := enter(t, q, "c", "")
	if has(second) || has(third) {
		t.Error("a job began, with all away that may be")
	}
	first.Leave()
	if !has(second) || has(third) {
		t.Error("what a held is free, and its job did not begin")
	}
	second.Leave()
	if !has(third) {
		t.Error("the place is lost")
	}
}

// Tickets are used from many goroutines.
func TestConcurrent(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 2, PerMember: 1000, Total: 10000})
	var wg sync.WaitGroup
	var mu sync.Mutex
	inside := 0
	for i := range 200 {
		wg.Go(func() {
			x, err := q.Enter(fmt.Sprint(i%7), fmt.Sprint(i%3))
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Leave()
			x.Position()
			if i%5 == 0 {
				return // gives up, or gives its place back at once
			}
			<-x.Turn()
			mu.Lock()
			if inside++; inside > 2 {
				t.Error("more than two have a place")
			}
			mu.Unlock()
			mu.Lock()
			inside--
			mu.Unlock()
		})
	}
	wg.Wait()
	if w, n := q.Len(); w != 0 || n != 0 {
		t.Error(w, n)
	}
}

// Groups take turns, the members of one take turns when it is the group's, and a member's
// jobs keep their order; the positions say so beforehand.
func TestOrder(t *testing.T) {
	q := fair.New[string](fair.Config{Places: 1, PerMember: 9, Total: 99})
	running := enter(t, q, "z", "")
	names := map[*fair.Ticket[string]]string{}
	for _, who := range []string{"a1", "a1", "a2", "b1", "a1", "b1", "c1"} {
		x := enter(t, q, who[:1], who[1:])
		n := 1
		for _, other := range names {
			if other[:2] == who {
				n++
			}
		}
		names[x] = fmt.Sprint(who, "#", n)
	}
	said := make([]string, len(names))
	for x, name := range names {
		said[x.Position()-1] = name
	}
	if want := []string{"a1#1", "b1#1", "c1#1", "a2#1", "b1#2", "a1#2", "a1#3"}; !slices.Equal(said, want) {
		t.Errorf("said %v", said)
	}
	for _, name := range said {
		running.Leave()
		for x, n := range names {
			if has(x) {
				running = x
				if n != name {
					t.Errorf("%s came instead of %s", n, name)
				}
				delete(names, x)
			}
		}
	}
}
