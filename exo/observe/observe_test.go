package observe_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
)

// observer calls its function.
type observer func(context.Context, observe.Activity) (context.Context, func(observe.Outcome))

func (o observer) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	return o(ctx, a)
}

// TestObserverCantInterfere: an observer that panics, or returns nothing, changes nothing for who reports to it.
func TestObserverCantInterfere(t *testing.T) {
	for name, o := range map[string]observe.Observer{
		"none":            nil,
		"panics":          observer(func(context.Context, observe.Activity) (context.Context, func(observe.Outcome)) { panic("begin") }),
		"returns nothing": observer(func(context.Context, observe.Activity) (context.Context, func(observe.Outcome)) { return nil, nil }),
		"panics later": observer(func(ctx context.Context, _ observe.Activity) (context.Context, func(observe.Outcome)) {
			return ctx, func(observe.Outcome) { panic("end") }
		}),
		"ends with no end": observer(func(ctx context.Context, _ observe.Activity) (context.Context, func(observe.Outcome)) {
			return ctx, nil
		}),
	} {
		ctx := context.Background()
		if o != nil {
			ctx = observe.With(ctx, o)
		}
		with, end := observe.Begin(ctx, observe.Activity{Kind: observe.Run})
		if with != ctx || end == nil {
			t.Errorf("%s: another context, or no end", name)
			continue
		}
		end(observe.Outcome{})
	}
}

// TestObserved: what begins in the context of an activity is told with that context, and ends once.
func TestObserved(t *testing.T) {
	var told []string
	type depth struct{}
	o := observer(func(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
		d, _ := ctx.Value(depth{}).(int)
		told = append(told, fmt.Sprint(d, " ", a.Interface, ".", a.Name))
		return context.WithValue(ctx, depth{}, d+1), func(out observe.Outcome) { told = append(told, fmt.Sprint(a.Name, " ", out.Error, " ", out.Rows)) }
	})
	ctx, outer := observe.Begin(observe.With(t.Context(), o), observe.Activity{Kind: observe.Run, Name: "execute"})
	_, inner := observe.Begin(ctx, observe.Activity{Kind: observe.Message, Interface: "Note", Name: "count"})
	inner(observe.Outcome{Error: observe.ErrorOf(fail.Errorf(fail.Limit, "", "a text"))})
	outer(observe.Outcome{Error: observe.ErrorOf(nil), Rows: 3})
	if got := fmt.Sprint(told); got != "[0 .execute 1 Note.count count limit 0 execute  3]" {
		t.Error(got)
	}
	if observe.On(t.Context()) || !observe.On(ctx) {
		t.Error("On")
	}
}

// TestNoRoomForValues: the types of what observers get have no place for a value, an error or an object: a field of another type needs a thought about
// who reads telemetry.
func TestNoRoomForValues(t *testing.T) {
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[observe.Activity](): "Kind observe.Kind Name string Interface string Tables []string System string Parent string ",
		reflect.TypeFor[observe.Outcome]():  "Error string Rows int Run string ",
	} {
		got := ""
		for f := range of.Fields() {
			got += f.Name + " " + f.Type.String() + " "
		}
		if got != want {
			t.Errorf("%s has %s", of, got)
		}
	}
}

// BenchmarkUnobserved is what each message, statement and run pays without telemetry, in a context with eight others around it.
func BenchmarkUnobserved(b *testing.B) {
	type other struct{}
	ctx := b.Context()
	for range 8 {
		ctx = context.WithValue(ctx, other{}, 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, end := observe.Begin(ctx, observe.Activity{Kind: observe.Message, Interface: "Note", Name: "count"})
		end(observe.Outcome{Rows: 1})
	}
}
