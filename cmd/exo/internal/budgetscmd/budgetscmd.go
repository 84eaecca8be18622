// Package budgetscmd has the command that shows what is left of a grant file's budgets.
package budgetscmd

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/printable"
)

// Command returns exo budgets. The function read reads the grant file that the arguments name.
func Command(read func(args []string) (*grantfile.File, error)) cli.Command {
	return cli.Command{
		Name:  "budgets",
		Args:  "[FILE]",
		Short: "show what is left of the budgets of a grant file, and when they are full again",
		Long: `Lists, for each budget of a grant file (default: exo.yaml), what was used and what is left. What runs that go on have reserved counts as used, and
so does what a killed process had reserved, until the budget is full again. A principal or conversation that has used nothing is not listed, unless -as
names the principal. It is for the operator: a program learns only that a budget is used up.

examples:
  exo budgets exo.yaml
  exo budgets -as org=5,user=1 -json
`,
		Exits: "exit codes:\n  0  shown\n  1  the file is wrong\n  2  the command line is wrong\n  3  the file or its store can't be read\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			asJSON := fs.Bool("json", false, "print it as JSON")
			as := fs.String("as", "", "`CLAIMS`: the principals with these claims alone, like org=5,user=1")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				f, err := read(args)
				if err != nil {
					return err
				}
				all, err := list(ctx, f, *as)
				if err != nil {
					return err
				}
				return write(std, f, all, *asJSON)
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

// standing is what was used of a budget, as -json prints it.
type standing struct {
	Per          string     `json:"per"`
	Each         string     `json:"each"`
	Principal    string     `json:"principal,omitempty"`
	Conversation string     `json:"conversation,omitempty"`
	Refills      *time.Time `json:"refills,omitempty"` // nil: the budget is never refilled
	Amounts      []amount   `json:"amounts"`
}

type amount struct {
	What string `json:"what"`
	Used int    `json:"used"`
	Of   int    `json:"of"`
	Left int    `json:"left"`
}

// list returns the budgets of all principals, or only of the principal with the claims in as.
func list(ctx context.Context, f *grantfile.File, as string) (out []standing, err error) {
	var only *exo.Principal
	if as != "" {
		p, err := f.ParseClaims(as)
		if err != nil {
			return nil, cli.Usagef("-as: %s", grantfile.Reason(err))
		}
		name := p.Name()
		only = &name
	}
	set, closing, err := f.OpenBudgets(ctx)
	if set == nil || err != nil {
		return []standing{}, err
	}
	defer closing()
	now := time.Now()
	all, err := set.List(ctx, now)
	if err != nil {
		return nil, err
	}
	if only != nil {
		is := identity.Match([]exo.Principal{*only})
		all = slices.DeleteFunc(all, func(s budget.Standing) bool { return s.Budget.Per != budget.Tool && !is(s.Principal) })
	}
	for _, b := range f.Budgets.All {
		shown := slices.ContainsFunc(all, func(s budget.Standing) bool { return s.Budget == b })
		switch {
		case !shown && b.Per == budget.Tool:
			all = append(all, budget.Standing{Budget: b, Refills: b.Refills(now)})
		case !shown && b.Per == budget.Principal && only != nil:
			all = append(all, budget.Standing{Budget: b, Principal: *only, Refills: b.Refills(now)})
		}
	}
	for _, s := range all {
		x := standing{Per: string(s.Budget.Per), Each: budgets.Window(s.Budget), Principal: string(s.Principal), Conversation: s.Conversation}
		if !s.Refills.IsZero() {
			x.Refills = &s.Refills
		}
		used := budgets.AmountsOf(s.Used)
		for i, of := range budgets.AmountsOf(s.Budget) {
			if of > 0 {
				x.Amounts = append(x.Amounts, amount{budgets.Amounts[i], used[i], of, max(of-used[i], 0)})
			}
		}
		out = append(out, x)
	}
	return out, nil
}

func write(std cli.Stdio, f *grantfile.File, all []standing, asJSON bool) error {
	if asJSON {
		_, err := fmt.Fprintf(std.Out, "%s\n", printable.MarshalIndent(all, "", "  "))
		return err
	}
	if len(f.Budgets.All) == 0 {
		_, err := fmt.Fprintf(std.Err, "%s has no budgets\n", f.Name)
		return err
	}
	w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BUDGET\tWHOSE\tWHAT\tUSED\tOF\tLEFT\tFULL AGAIN")
	for _, x := range all {
		again, whose := "never", "all"
		if x.Refills != nil {
			again = x.Refills.Format("2006-01-02 15:04 UTC")
		}
		if x.Per != string(budget.Tool) {
			whose = printable.OneLine(x.Principal)
		}
		if x.Conversation != "" {
			whose += " in " + printable.OneLine(x.Conversation)
		}
		for _, a := range x.Amounts {
			fmt.Fprintf(w, "%s, %s\t%s\t%s\t%d\t%d\t%d\t%s\n", x.Per, x.Each, whose, a.What, a.Used, a.Of, a.Left, again)
		}
	}
	return w.Flush()
}
