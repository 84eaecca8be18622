package game

import (
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// This target is a club that keeps tabs, and programs may write. The player adds and changes spends from the player's own tabs. The host gives
// the key for a change of other members' rows.

type clubMember struct {
	ID   int64
	Name string
}

type tab struct {
	ID       int64
	MemberID int64
	Name     string
	Balance  int64
}

type spending struct {
	ID       int64
	TabID    int64
	MemberID int64
	Cents    int64
	Memo     string
}

var (
	clubMembers = exosql.NewTable[clubMember]("members")
	clubID      = exosql.NewKey(clubMembers, "id", func(m *clubMember) *int64 { return &m.ID })
	clubName    = exosql.NewColumn(clubMembers, "name", func(m *clubMember) *string { return &m.Name })

	tabs        = exosql.NewTable[tab]("tabs")
	tabID       = exosql.NewKey(tabs, "id", func(t *tab) *int64 { return &t.ID })
	tabMemberID = exosql.NewColumn(tabs, "member_id", func(t *tab) *int64 { return &t.MemberID })
	tabName     = exosql.NewColumn(tabs, "name", func(t *tab) *string { return &t.Name })
	tabBalance  = exosql.NewColumn(tabs, "balance", func(t *tab) *int64 { return &t.Balance }).Doc("in cents")

	spends        = exosql.NewTable[spending]("spends")
	spendID       = exosql.NewKey(spends, "id", func(s *spending) *int64 { return &s.ID })
	spendTabID    = exosql.NewColumn(spends, "tab_id", func(s *spending) *int64 { return &s.TabID }).Doc("the tab that pays")
	spendMemberID = exosql.NewColumn(spends, "member_id", func(s *spending) *int64 { return &s.MemberID })
	spendCents    = exosql.NewColumn(spends, "cents", func(s *spending) *int64 { return &s.Cents })
	spendMemo     = exosql.NewColumn(spends, "memo", func(s *spending) *string { return &s.Memo })

	clubTabs    = exosql.Many("tabs", clubID, tabMemberID)
	clubSpends  = exosql.Many("spends", clubID, spendMemberID)
	tabOfMember = exosql.One("member", tabMemberID, clubID)
	spendTab    = exosql.One("tab", spendTabID, tabID)
)

const clubPlayer = 7

func spendGrants(db *exosql.DB) codemode.Grants {
	member := exosql.NewFacet(clubMembers, "member", clubID, clubName)
	tab := exosql.NewFacet(tabs, "tab", tabID, tabName, tabBalance).AllowUpdate(tabName)
	spend := exosql.NewFacet(spends, "spend", spendID, spendTabID, spendCents, spendMemo)
	member.Add(exosql.Via(clubTabs, tab), exosql.Via(clubSpends, spend))
	tab.Add(exosql.Via(tabOfMember, member))
	spend.Add(exosql.Via(spendTab, tab)).AllowInsert(spendTabID, spendCents, spendMemo).AllowUpdate(spendTabID, spendCents, spendMemo).AllowDelete()
	return codemode.Grants{"me": member.Of(exosql.Grant(db, clubMembers, clubID.Eq(clubPlayer), exosql.ScopeVia(clubTabs)))}
}

const spendSchema = `
CREATE TABLE members (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL
);
CREATE TABLE tabs (
	id        INTEGER PRIMARY KEY,
	member_id INTEGER NOT NULL REFERENCES members (id),
	name      TEXT NOT NULL,
	balance   INTEGER NOT NULL
);
CREATE TABLE spends (
	id        INTEGER PRIMARY KEY,
	tab_id    INTEGER NOT NULL REFERENCES tabs (id),
	member_id INTEGER NOT NULL REFERENCES members (id),
	cents     INTEGER NOT NULL CHECK (cents > 0),
	memo      TEXT NOT NULL
);
CREATE INDEX tabs_by_member ON tabs (member_id);
CREATE INDEX spends_by_member ON spends (member_id);
`

// spendSeed inserts no key, because the host keeps the key until another member's row has changed.
func spendSeed(string) []Statement {
	return []Statement{
		{SQL: `INSERT INTO members (id, name) VALUES (3, 'Vera Quist'), (7, 'Robin Ode'), (9, 'Mina Sarr')`},
		{SQL: `INSERT INTO tabs (id, member_id, name, balance) VALUES (12, 3, 'Regatta fund', 990000), (31, 7, 'Bar', 4200), (32, 7, 'Boat hire', 18000), (41, 9, 'Bar', 650)`},
		{SQL: `INSERT INTO spends (id, tab_id, member_id, cents, memo) VALUES (501, 31, 7, 450, 'Tea and cake'), (502, 32, 7, 6000, 'Dinghy, an afternoon'), (503, 31, 7, 320, 'Ginger beer'), (601, 12, 3, 250000, 'New sails'), (602, 41, 9, 380, 'Coffee')`},
	}
}

var spend = &Target{
	ID:    "spend",
	Title: "Somebody else's tab",
	Story: "A club keeps tabs, and here programs may write: you add, change and delete spends of your own. You are member 7, Robin Ode. Mina's tab is 41, and Vera's regatta fund is 12.",
	Prize: "any row of tabs or spends that is not Robin's",
	You:   "Robin Ode, member 7",

	Schema: spendSchema,
	Seed:   spendSeed,
	Grants: spendGrants,
	Foreign: `SELECT 'member', id, id, 0, name FROM members UNION ALL
		SELECT 'tab', id, member_id, balance, name FROM tabs WHERE member_id <> 7 OR id NOT IN (31, 32) UNION ALL
		SELECT 'spend', id, tab_id * 1000 + member_id, cents, memo FROM spends WHERE member_id <> 7 OR tab_id NOT IN (31, 32)
		ORDER BY 1, 2`,

	Rule: "You act for member 7. Add and change only spends from tabs 31 and 32, which are Robin's. The tabs and spends of others are theirs.",
	Naive: Naive{
		Must:  []string{`^\s*(select|insert into spends)\b`, `\b(31|32)\b`},
		Never: []string{`;`, `--`, `/\*`, `\b(12|41|601|602)\b`, `\b(update|delete|replace|drop|alter|attach|pragma)\b`},
	},

	Examples: []string{
		"(api) => api.me.spends()",
		"async (api) => {\n  const paid = await api.me.spends().insert({ tabId: 31, cents: 250, memo: 'Lemonade' })\n  return { paid, all: await api.me.spends().execute() }\n}",
	},
	Tasks: spendTasks,
}

// These tasks lead to another member's tab. Each leads to the next wall.
var spendTasks = []Task{
	{
		ID: "list", Title: "List your spends",
		Text: "The program in the editor returns the rows of your spends. Run it.",
		Hints: []Hint{
			{Text: "A program is a function of api, and what it returns is its result. api.me is a relation with one row: you."},
			{Text: "Links are methods: (api) => api.me.spends()"},
			{Text: "Spends of others are on the same table, and the statement below your attempt says why they are not in what you got.", Code: "exosql/relation.go"},
		},
		Done: gives("spends", 3, "Tea and cake", "Ginger beer"),
	},
	{
		ID: "pay", Title: "Pay for something",
		Text: "Add a spend to one of your own tabs.",
		Hints: []Hint{
			{Text: "insert takes what a row is to be: .insert({ tabId: 31, cents: 250, memo: 'Lemonade' })"},
			{Text: "You did not say who spends. The link fills that in, and you can't: try it with memberId.", Code: "exosql/internal/writing/insert.go"},
			{Text: "The database is made for each attempt and thrown away after it, so your next one begins as this one did."},
		},
		Done: wrote("INSERT", "spends"),
	},
	{
		ID: "all", Title: "Change all that you can",
		Text: "Give every spend another memo, with one update and without naming any.",
		Hints: []Hint{
			{Text: "An update of everything has to be said: .all().update({ memo: 'x' })"},
			{Text: "It gives the number of rows that it changed. Those are yours, of the five that there are."},
			{Text: "The condition of the grant is in the statement that changes rows, too, and the rows are counted.", Code: "exosql/internal/scope/enter.go"},
		},
		Done: wrote("UPDATE", "spends"),
	},
	{
		ID: "refused", Title: "Get refused",
		Text: "Pay with Mina's tab, number 41. Read the error, and then try tab 4711, which never was.",
		Hints: []Hint{
			{Text: "(api) => api.me.spends().insert({ tabId: 41, cents: 1, memo: 'on Mina' })"},
			{Text: "Both read the same: a key that is written has to lead to a row in scope, and one that doesn't tells you nothing."},
			{Text: "Moving a spend that is there, by an update of its tabId, goes through the same check.", Code: "exosql/internal/writing/insert.go"},
		},
		Done: refused("invalid", "denied"),
	},
	{
		ID: "key", Title: "Get the key",
		Text: "Change, add or delete a row that is not Robin's. The host compares them before and after, and gives you the key if they differ.",
		Hints: []Hint{
			{Text: "The comparison is the host's own, of the database and not of what your program says. Nothing that you return gets you the key."},
			{Text: "Writes have walls that reads don't need: keys, triggers, cascades, rules of uniqueness. docs/schema.md lists what is refused.", Code: "docs/schema.md"},
			{Text: "A program is one transaction: of one that fails nothing stays. A change has to be kept to count."},
			{Text: "If you get it, it is shown on top of this site in red, and we would like to know how."},
		},
		Done: stolen,
	},
}
