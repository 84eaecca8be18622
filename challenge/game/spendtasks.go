package game

// The way to somebody else's tab. Each task leads to the next wall.
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
