package game

import "strings"

// The way to a payout that nobody agreed to. Each task leads to the next wall.
var pledgeTasks = []Task{
	{
		ID: "list", Title: "List the payouts",
		Text: "The program in the editor returns the rows of your payouts. Run it.",
		Hints: []Hint{
			{Text: "A program is a function of api, and what it returns is its result. api.me is a relation with one row: you."},
			{Text: "Links are methods: (api) => api.me.batches().payouts()"},
		},
		Done: gives("payouts", 4, "Sailmaker", "buns"),
	},
	{
		ID: "memo", Title: "Write a memo",
		Text: "Give a payout another memo. Nobody has to agree to that.",
		Hints: []Hint{
			{Text: "The second example does it."},
			{Text: "The rule names columns: cents and batchId ask, memo does not. One statement that gives both asks.", Code: "exosql/internal/decl/approval.go"},
		},
		Done: wrote("UPDATE", "payouts"),
	},
	{
		ID: "empty", Title: "Close the empty batch",
		Text: "Delete batch 63, which has no payouts. Nobody has to agree to that, either.",
		Hints: []Hint{
			{Text: "(api) => api.me.batches().where({ id: 63 }).delete()"},
			{Text: "Its payouts would go with it, by a cascade of the database. It has none, so no rule is met: the database reports each row that it changes.", Code: "exosql/internal/engine/sqlite/images.go"},
		},
		Done: wrote("DELETE", "batches"),
	},
	{
		ID: "waits", Title: "Prepare a payout",
		Text: "Give payout 704 another amount. Read how it ends: your program ran to its end, and everything it did was taken back.",
		Hints: []Hint{
			{Text: "(api) => api.me.batches().payouts().where({ id: 704 }).update({ cents: 901 })"},
			{Text: "What you prepared is kept for a person, encrypted. To apply it the host would run the same program again, and compare what it does then with what the person saw.", Code: "exo/review/approved.go"},
		},
		Done: func(a *Attempt) bool {
			return a.Lane == Program && a.Verdict.Kind == "pending" && strings.Contains(a.Verdict.Message, "cents of payout")
		},
	},
	{
		ID: "key", Title: "Get the key",
		Text: "Make a payout another one without anybody's agreement. The host compares them before and after, and gives you the key if they differ.",
		Hints: []Hint{
			{Text: "A rule holds for its table, whichever way a write gets there: another facet, a cascade, a link.", Code: "exosql/internal/answer/review.go"},
			{Text: "Rules are asked when the program has ended and before the commit, so a program that is stopped or fails has changed nothing.", Code: "exo/finish.go"},
			{Text: "If you get it, it is shown on top of this site in red, and we would like to know how."},
		},
		Done: stolen,
	},
}
