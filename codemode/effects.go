package codemode

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// maxEffects is how many effects of one failed run are named to the model.
const maxEffects = 20

// What the model reads of a program that failed, where programs can change things.
const (
	noEffects      = "none: nothing took effect, so the program may be corrected and run again"
	unknownEffects = "it can't be told what took effect: do not run the program again"
)

// EffectsNote says, of a program that failed, what it has changed all the same: ""
// where nothing that was granted can change anything, or the program did not fail.
// It is part of what the model reads. A model that is told of an error only would
// correct the program and run it again, and send the mail twice.
func (r *Result) EffectsNote() string {
	switch {
	case r.Err == nil || !r.effectful && len(r.Effects) == 0:
		return ""
	case r.withheld:
		// What took effect may depend on values that the model may not learn of, and
		// telling it would be a way out for them: so this text is always the same.
		return unknownEffects
	case len(r.Effects) == 0:
		return noEffects
	}
	var done, open []string
	for _, e := range r.Effects {
		if e.Err == nil {
			done = append(done, e.Op)
		} else {
			open = append(open, e.Op)
		}
	}
	var says []string
	if len(done) > 0 {
		says = append(says, counted(done)+" took effect and will not be undone")
	}
	if len(open) > 0 {
		says = append(says, "whether "+counted(open)+" took effect is not known")
	}
	return strings.Join(says, "; ") + ". Do not run the program again as it is: write one that does only what is missing"
}

// counted names each once, in order, with how often it happened.
func counted(ops []string) string {
	times, order := map[string]int{}, []string(nil)
	for _, op := range ops {
		if op = shorten(clean(op), 100); times[op] == 0 {
			order = append(order, op)
		}
		times[op]++
	}
	more := max(0, len(order)-maxEffects)
	order = order[:len(order)-more]
	for i, op := range order {
		if n := times[op]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d times)", op, n)
		}
	}
	if more > 0 {
		order = append(order, fmt.Sprintf("%d more", more))
	}
	return strings.Join(order, ", ")
}

// effectful reports whether anything that is granted can change something.
func effectful(cat exo.Catalog) bool {
	for _, i := range cat {
		for _, m := range i.Methods {
			if m.Effect {
				return true
			}
		}
	}
	return false
}
