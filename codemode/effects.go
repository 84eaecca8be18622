package codemode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

// maxEffects is how many effects of one failed run the model's text names.
const maxEffects = 20

// maxRefusals is how many refused held effects are explained to the model, and maxRefusal is how many bytes each explanation may have.
const maxRefusals, maxRefusal = 5, 300

// A model reads one of these texts about effects after a failed program, if programs can change things.
const (
	noEffects      = "none: nothing took effect, so the program may be corrected and run again"
	pendingEffects = "none yet: a person decides, so do not run the program again"
	unknownEffects = "it is not known what took effect: do not run the program again"
)

// Changed reports whether an effect took place, or may have. If the run read what the model may
// not, Changed is true whenever an effect may have taken place. The truth could reveal a bit of
// what was read.
func (r *Result) Changed() bool {
	return r.withheld && r.effectful && !r.unchanged || slices.ContainsFunc(r.Effects, func(e exo.Effect) bool { return e.Outward().MayHaveHappened() })
}

// EffectsNote is the host's text about the program's changes; the model reads it with the result.
// Without it, a model that reads only an error would correct the program, run it again, and send
// the mail twice. It is "" if the program asked for no change and did not fail, or if no grant can
// change anything.
func (r *Result) EffectsNote() string {
	switch {
	case r.Err != nil && fail.KindOf(r.Err) == fail.Pending:
		return pendingEffects
	case r.Err != nil && fail.KindOf(r.Err) == fail.Revoked && len(r.Effects) == 0 && r.effectful && !r.withheld: // to run it again would be refused, too
		return "none: nothing took effect"
	case r.Err == nil && len(r.Effects) == 0 || !r.effectful && len(r.Effects) == 0:
		return ""
	case r.withheld && r.unchanged:
		return noEffects
	case r.withheld:
		// Which effects took place may depend on values that the model must not see.
		// A list of effects would reveal them, so the text is the same in every case.
		return unknownEffects
	}
	ops, nothing := map[exo.State][]string{}, map[string][]string{} // ops: the operations by outcome; nothing: the operations that changed nothing, by the text that reports this
	var says []string
	stands, failed := false, false
	var sealed, provisional []string
	for _, e := range r.Effects {
		if e = e.Outward(); e.Sealed && e.State == exo.StateApplied {
			stands, sealed = true, append(sealed, e.Op)
			continue
		}
		if e.NoRowsText != "" && e.State == exo.StateApplied { // such an effect changed nothing, so there is nothing to keep or undo
			nothing[e.NoRowsText] = append(nothing[e.NoRowsText], e.Op)
			continue
		}
		if e.Provisional && e.State == exo.StateApplied {
			stands, provisional = true, append(provisional, e.Op)
			continue
		}
		state := e.State
		if state == exo.StateImmediate {
			state = exo.StateApplied
		}
		stands, failed = stands || e.MayHaveHappened(), failed || state == exo.StateFailed || state == exo.StateUnknown
		if why := refusal(e); why != "" && len(says) < maxRefusals {
			if why = scalar.Shorten(clean(e.Op), 100) + " did not take place: " + why; !slices.Contains(says, why) {
				says = append(says, why)
			}
			continue
		}
		ops[state] = append(ops[state], e.Op)
	}
	if r.Err != nil && !stands && !failed {
		return noEffects
	}
	for _, w := range becameOf {
		if len(ops[w.state]) > 0 {
			says = append(says, strings.Replace(w.text, "OPS", counted(ops[w.state]), 1))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(nothing)) {
		says = append(says, counted(nothing[why])+" "+why)
	}
	if len(provisional) > 0 {
		says = append(says, counted(provisional)+": done, in a transaction that is still to be kept or undone")
	}
	if len(sealed) > 0 {
		says = append(says, counted(sealed)+": handed over; its outcome is not shown, since it contained sealed values")
	}
	note := strings.Join(says, "; ")
	if r.Err != nil || failed {
		note += ". Do not run the program again as it is: write one that does only what is missing"
	}
	return note
}

// refusal returns why a held effect was refused after the program, as with service.Refuse. The text must be for the guest, and nothing
// must have been done. Otherwise it returns "".
func refusal(e exo.Effect) string {
	var why *fail.Error
	if e.State != exo.StateFailed || !errors.As(e.Err, &why) || why.Kind != fail.Invalid || !errors.Is(why, exo.ErrNothingDone) {
		return ""
	}
	return strings.TrimRight(scalar.Shorten(clean(why.Message()), maxRefusal), ".")
}

// becameOf describes each state of an effect in plain words, in the order in which the model reads them.
var becameOf = []struct {
	state exo.State
	text  string
}{
	{exo.StateApplied, "OPS took effect and will not be undone"},
	{exo.StateFailed, "OPS was held until the program ended, and then failed"},
	{exo.StateUnknown, "whether OPS took effect is not known"},
	{exo.StateRolledBack, "nothing of OPS was kept"},
	{exo.StateHeld, "whether OPS took effect is not known"}, // no run ends with an effect in this state
}

// counted returns each name once, in order, with how often it occurs.
func counted(ops []string) string {
	times, order := map[string]int{}, []string(nil)
	for _, op := range ops {
		if op = scalar.Shorten(clean(op), 100); times[op] == 0 {
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

// HasHiddenCause reports whether err has a cause that the program did not read, so that the host's log must keep it. The end of a context,
// exo.ErrNothingDone, and the error of a run that its caller ended are no hidden causes.
func HasHiddenCause(err error) bool {
	if err == nil {
		return false
	}
	e := fail.AsError("", err)
	return e.Kind != fail.Cancelled && (e.Kind == fail.Internal || e.Kind == fail.Other || unshown(e.Err, e.Message()))
}

// unshown reports whether err, the cause of an error, has more in it than the text that the program read.
func unshown(err error, read string) bool {
	switch e := err.(type) {
	case nil:
		return false
	case *fail.Error: // the enclosing error already shows the text of this one
		return unshown(e.Err, read)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool { return unshown(err, read) })
	}
	return err != exo.ErrNothingDone && err != context.Canceled && err != context.DeadlineExceeded && err.Error() != read
}
