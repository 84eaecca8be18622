package game

import (
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// A treasurer's book. Programs may prepare payouts and change them; a person has to agree before one happens, and nobody
// does here. So the key is given for a payout that is there, or gone, or another amount.

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

// book declares it all, with the rules that ask a person; none: the twin, in which nobody is asked.
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

// pledgeSeed has no key in it: the host keeps that until a payout is another one.
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
