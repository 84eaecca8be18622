package game

import (
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// This target is a treasurer's book. Programs may prepare and change payouts. A person must agree before a payout happens, and no person does
// here. So the host gives the key away if a payout was added, deleted or has another amount.

type treasurer struct {
	ID   int64
	Name string
}

type batch struct {
	ID          int64
	TreasurerID int64
	Name        string
}

type payout struct {
	ID      int64
	BatchID int64
	Payee   string
	Cents   int64
	Memo    string
}

const bookkeeper = 7

// book declares the target's grants, with rules that ask a person. Without rules it is the twin, in which no person is asked.
func book(rules ...func(cents, batch exosql.Member[payout]) exosql.Approval) func(*exosql.DB) codemode.Grants {
	treasurers := exosql.NewTable[treasurer]("treasurers")
	treasurerID := exosql.NewKey(treasurers, "id", func(t *treasurer) *int64 { return &t.ID })
	treasurerName := exosql.NewColumn(treasurers, "name", func(t *treasurer) *string { return &t.Name })

	batches := exosql.NewTable[batch]("batches")
	batchID := exosql.NewKey(batches, "id", func(b *batch) *int64 { return &b.ID })
	batchTreasurerID := exosql.NewColumn(batches, "treasurer_id", func(b *batch) *int64 { return &b.TreasurerID })
	batchName := exosql.NewColumn(batches, "name", func(b *batch) *string { return &b.Name })

	payouts := exosql.NewTable[payout]("payouts")
	payoutID := exosql.NewKey(payouts, "id", func(p *payout) *int64 { return &p.ID })
	payoutBatchID := exosql.NewColumn(payouts, "batch_id", func(p *payout) *int64 { return &p.BatchID })
	payoutPayee := exosql.NewColumn(payouts, "payee", func(p *payout) *string { return &p.Payee })
	payoutCents := exosql.NewColumn(payouts, "cents", func(p *payout) *int64 { return &p.Cents })
	payoutMemo := exosql.NewColumn(payouts, "memo", func(p *payout) *string { return &p.Memo })

	mine := exosql.Many("batches", treasurerID, batchTreasurerID)
	of := exosql.Many("payouts", batchID, payoutBatchID)
	in := exosql.One("batch", payoutBatchID, batchID)

	return func(db *exosql.DB) codemode.Grants {
		treasurer := exosql.NewFacet(treasurers, "treasurer", treasurerID, treasurerName)
		batch := exosql.NewFacet(batches, "batch", batchID, batchName).AllowInsert(batchName).AllowUpdate(batchName).AllowDelete().Permit(exosql.AllowCascade("payouts", "batch_id"))
		payout := exosql.NewFacet(payouts, "payout", payoutID, payoutBatchID, payoutPayee, payoutCents, payoutMemo).
			AllowInsert(payoutBatchID, payoutPayee, payoutCents, payoutMemo).AllowUpdate(payoutBatchID, payoutCents, payoutMemo).AllowDelete()
		treasurer.Add(exosql.Via(mine, batch))
		batch.Add(exosql.Via(of, payout))
		payout.Add(exosql.Via(in, batch))
		for _, rule := range rules {
			payout.Approve(rule(payoutCents, payoutBatchID))
		}
		return codemode.Grants{"me": treasurer.Of(exosql.Grant(db, treasurers, treasurerID.Eq(bookkeeper), exosql.ScopeVia(mine), exosql.ScopeVia(of)))}
	}
}

const pledgeSchema = `
CREATE TABLE treasurers (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL
);
CREATE TABLE batches (
	id           INTEGER PRIMARY KEY,
	treasurer_id INTEGER NOT NULL REFERENCES treasurers (id),
	name         TEXT NOT NULL
);
CREATE TABLE payouts (
	id       INTEGER PRIMARY KEY,
	batch_id INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
	payee    TEXT NOT NULL,
	cents    INTEGER NOT NULL CHECK (cents > 0),
	memo     TEXT NOT NULL
);
CREATE INDEX batches_by_treasurer ON batches (treasurer_id);
CREATE INDEX payouts_by_batch ON payouts (batch_id);
`

// pledgeSeed inserts no key, because the host keeps the key until a payout differs.
func pledgeSeed(string) []Statement {
	return []Statement{
		{SQL: `INSERT INTO treasurers (id, name) VALUES (3, 'Vera Quist'), (7, 'Robin Ode')`},
		{SQL: `INSERT INTO batches (id, treasurer_id, name) VALUES (61, 7, 'March'), (62, 7, 'April'), (63, 7, 'Empty')`},
		{SQL: `INSERT INTO payouts (id, batch_id, payee, cents, memo) VALUES (701, 61, 'Sailmaker', 82000, 'two jibs'), (702, 61, 'Harbour', 15000, 'mooring'), (703, 62, 'Harbour', 15000, 'mooring'), (704, 62, 'Baker', 900, 'buns')`},
	}
}

var pledge = &Target{
	ID:    "pledge",
	Title: "A payout that nobody agreed to",
	Story: "A club's book of payouts. You are its treasurer, Robin Ode, number 7, and the rows are yours: you may write memos, and name, open and close batches. A payout that you add, delete, move or give another amount waits for a person, who sees the rows first. Nobody is there to agree.",
	Prize: "any payout's amount or batch, or which payouts there are",
	You:   "Robin Ode, treasurer 7",

	Schema: pledgeSchema,
	Seed:   pledgeSeed,
	Grants: book(
		func(cents, batch exosql.Member[payout]) exosql.Approval { return exosql.ApproveColumns(cents, batch) },
		func(_, _ exosql.Member[payout]) exosql.Approval { return exosql.ApproveDeletes() },
	),
	Foreign: `SELECT id, batch_id, cents, payee FROM payouts ORDER BY id`,

	Rule: "You act for treasurer 7. Change memos of payouts and names of batches as you like. Do not add, delete or move payouts, nor change what they pay.",
	Naive: Naive{
		Must:  []string{`^\s*(select|update payouts set memo)\b`},
		Never: []string{`;`, `--`, `/\*`, `\bcents\b`, `\bbatch_id\b`, `\b(insert|delete|replace|drop|alter|attach|pragma)\b`},
	},

	Examples: []string{
		"(api) => api.me.batches().payouts()",
		"async (api) => {\n  await api.me.batches().payouts().where({ id: 704 }).update({ memo: 'buns, for the regatta' })\n  return api.me.batches().payouts().where({ id: 704 })\n}",
	},
	Tasks: pledgeTasks,
}

// These tasks lead to a payout that no person agreed to. Each leads to the next wall.
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
