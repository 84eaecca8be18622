package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// TestSealedBudget: a budget of effects counts a message with a sealed value also if its receiver refuses it. Otherwise what is left would reveal
// the value. The twin's value is not sealed, and its refused message goes back.
func TestSealedBudget(t *testing.T) {
	type letter struct {
		To string `json:"to"`
	}
	pii := value.NewLabel("pii")
	for _, sealed := range []bool{true, false} {
		var left []int
		for _, address := range []string{"ann", "nobody"} {
			mail, err := service.New("Mail", "", service.Method("send", "", func(_ context.Context, in letter) (service.None, error) {
				if in.To != "ann" {
					return service.None{}, service.Refuse("there is no such address")
				}
				return service.None{}, nil
			}).Admits(pii))
			if err != nil {
				t.Fatal(err)
			}
			get := service.Read("get", "", func(context.Context, service.None) (letter, error) { return letter{address}, nil })
			if sealed {
				get = get.Labelled(pii, "to")
			}
			book, err := service.New("Book", "", get)
			if err != nil {
				t.Fatal(err)
			}
			set, err := budget.In(store.NewMemory(nil), "t", budget.Budget{Per: budget.Principal, Every: 24 * time.Hour, Effects: 5})
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(codemode.Grants{"mail": mail, "book": book}, &codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "cat", Record: exo.Unrecorded, Budgets: set})
			if err != nil {
				t.Fatal(err)
			}
			if r := tool.Run(t.Context(), "const b = await book.get(); await mail.send({ to: b.to })"); r.Err != nil {
				t.Fatal(r.Err)
			}
			all, err := set.List(t.Context(), time.Now())
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			left = append(left, 5-all[0].Used.Effects)
		}
		if alike := left[0] == left[1]; alike != sealed {
			t.Errorf("sealed %v: for two addresses %v effects are left", sealed, left)
		}
	}
}
