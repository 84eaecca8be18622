package game

// These tasks lead to the vault. Each leads to the next wall, and its last hint names the file with that wall.
var walletTasks = []Task{
	{
		ID: "list", Title: "List your accounts",
		Text: "The program in the editor returns the rows of your accounts. Run it.",
		Hints: []Hint{
			{Text: "A program is a function of api, and what it returns is its result. api.currentUser is a relation with one row: you."},
			{Text: "Links are methods: (api) => api.currentUser.accounts()"},
			{Text: "That call did not touch the database. It recorded an expression, which the host checked and turned into SQL. Look at the statement under your attempt: who put user 7 into it?", Code: "exosql/relation.go"},
		},
		Done: gives("accounts", 3, "Rainy days", "Holiday"),
	},
	{
		ID: "join", Title: "Join accounts and wallets",
		Text: "Return, in one query, the name of each of your accounts with the address of each of its wallets.",
		Hints: []Hint{
			{Text: "join adds a table to a query: .join(({ user }) => user.accounts()), and then the wallets of these."},
			{Text: "The second example does it. Now ask for every wallet there is, by joining accounts with something that is not theirs."},
			{Text: "Every table that enters a query brings the predicate of its scope along, whichever link it came by.", Code: "exosql/predicate.go"},
		},
		Done: gives("wallets", 2, "bx-3301", "bx-3302"),
	},
	{
		ID: "inviter", Title: "Follow the link that leaves",
		Text: "Your row says that user 3 invited you, and there is a link: inviter(). Follow it and return what you find.",
		Hints: []Hint{
			{Text: "(api) => api.currentUser.inviter()"},
			{Text: "It is empty, though the foreign key is there and you can read it. Being pointed at is not being granted."},
			{Text: "The table users has one scope in this grant, and a link into it doesn't widen that.", Code: "exosql/internal/scope/enter.go"},
		},
		Done: asked("invited_by", 0),
	},
	{
		ID: "refused", Title: "Get refused",
		Text: "Ask for a column that you were not granted: accounts have a user_id. Read the error: it names the place, and what there is.",
		Hints: []Hint{
			{Text: "(api) => api.currentUser.accounts().where(a => a.userId === 3)"},
			{Text: "Hidden and missing read the same: try `userIx`, which never was. The answer depends on the spelling, not on what is hidden."},
			{Text: "The program's side checks the expression as it is recorded; the host checks it again with the same code, so that it does not matter what you do to the program's side.", Code: "exo/message/node.go"},
		},
		Done: refused("invalid", "denied"),
	},
	{
		ID: "key", Title: "Get the key",
		Text: "Return Vera's key, and claim it.",
		Hints: []Hint{
			{Text: "Three walls are left: the expression, the database, and the process. Most things that one tries first stand in testdata/attacks, each with a twin that gets through where the wall is missing.", Code: "testdata/attacks"},
			{Text: "The database: each statement may read only the tables and columns of its plan, whatever text it has.", Code: "exosql/internal/engine/sqlite/sqlite.go"},
			{Text: "The process: your program runs in one that has no files, no network and no secret; the key is not in it until the host sends it a row. Take it over if you can, and then?", Code: "exoeval/worker/doc.go"},
			{Text: "If you get it, it is shown on top of this site in red, and we would like to know how."},
		},
		Done: stolen,
	},
}
