package codemode_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// TestSealedOutcome: a receiver accepts one sealed address and refuses another. Neither the model's text, nor a budget of effects, nor what became
// of a change set that a person has agreed to, differs by that. The twin has an address that is not sealed.
func TestSealedOutcome(t *testing.T) {
	seen := map[string][]string{}
	for _, sealed := range []bool{true, false} {
		for _, address := range []string{"ann", "nobody"} {
			for _, approve := range []bool{true, false} {
				pii := value.NewLabel("pii")
				type letter struct {
					To string `json:"to"`
				}
				send := service.Method("send", "sends a mail", func(_ context.Context, in letter) (service.None, error) {
					if in.To != "ann" {
						return service.None{}, service.Refuse("there is no %s", in.To)
					}
					return service.None{}, nil
				}).Admits(pii)
				if approve {
					send = send.Approve(changeset.Who{})
				}
				mail, err := service.New("Mail", "", send)
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
				keeper := review.InMemory()
				opt := &codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "cat", Record: exo.Unrecorded, Review: keeper}
				if !approve {
					opt.Budgets = set
				}
				tool, err := codemode.New(codemode.Grants{"mail": mail, "book": book}, opt)
				if err != nil {
					t.Fatal(err)
				}
				res := tool.Run(t.Context(), "const b = await book.get(); await mail.send({ to: b.to }); return 1")
				what := fmt.Sprintf("%s, changed %v; ", res.EffectsNote(), res.Changed())
				if approve {
					all, err := tool.Pending(t.Context())
					if err != nil || len(all) != 1 {
						t.Fatal(res.Err, all, err)
					}
					if _, err := tool.Apply(t.Context(), all[0].ID, all[0].Digest(), review.Approver{Name: "boss", How: review.Terminal}); err != nil {
						t.Fatal(err)
					}
				}
				again := tool.Run(t.Context(), "for (let i = 0; i < 5; i++) await mail.send({ to: 'ann' }); return 1")
				what += fmt.Sprint(again.Err == nil)
				if approve { // the ID is another each time
					what = ""
					if notice := tool.Run(t.Context(), "1").Notice + again.Notice; len(notice) > 60 {
						what = notice[60:]
					}
				}
				key := fmt.Sprintf("sealed %v, approve %v", sealed, approve)
				seen[key] = append(seen[key], what)
			}
		}
	}
	for key, both := range seen {
		if alike := both[0] == both[1]; alike != (key[:11] == "sealed true") {
			t.Errorf("%s: for two addresses the model observes %q and %q", key, both[0], both[1])
		}
	}
}
