package game

import (
	"slices"
	"strings"
)

// These tasks lead to a code that programs get only as a sealed value. Each leads to the next wall.
var sealedTasks = []Task{
	{
		ID: "list", Title: "List the safes",
		Text: "The program in the editor returns the rows of your customers' safes. Run it, and look at the codes.",
		Hints: []Hint{
			{Text: "A program is a function of api, and what it returns is its result. Links are methods: (api) => api.me.safes()"},
			{Text: "Each code reads [sealed code]. The program was never given it: what it has is a number for a value that stays with the host.", Code: "exo/seal.go"},
		},
		Done: gives("safes", 3, "Ada Brandt", "Mina Sarr", "[sealed code]"),
	},
	{
		ID: "letter", Title: "Send what you can't read",
		Text: "Write Mina a letter with the code of her safe in it.",
		Hints: []Hint{
			{Text: "await text`Dear ${safe.owner}, your code is ${safe.code}.` is a text with a sealed value in it. The host puts it together, where it arrives."},
			{Text: "A letter may have what is labelled code: api.mail.send({ safe: 22, text: await text`…` }). It is sent when the program has ended, and its text you can't read, either.", Code: "exo/compose.go"},
			{Text: "The database is made for each attempt, with another code, and thrown away after it."},
		},
		Done: func(a *Attempt) bool {
			return gives("safes", 1, `"held":true`)(a) && strings.Contains(a.Input, "mail.send")
		},
	},
	{
		ID: "board", Title: "Get refused",
		Text: "Put the code on the board, which everybody reads.",
		Hints: []Hint{
			{Text: ".board().insert({ text: safe.code })"},
			{Text: "A column without the label takes no sealed value, however it got there: from a row, by reveal, from a letter. What a program has of it, it has read then, and its result stays here; nothing that it changed is kept.", Code: "exo/message/given.go"},
		},
		Done: func(a *Attempt) bool { return withheld(a) && strings.Contains(a.Input, "board") },
	},
	{
		ID: "withheld", Title: "Look at it",
		Text: "Find out whether Mina's code begins with exo1, by a condition on it, and return the answer.",
		Hints: []Hint{
			{Text: "(api) => api.me.safes().where(s => s.code.startsWith('exo1')).count()"},
			{Text: "You may ask. But then the program has read it, and its result stays here: it might be the code, a bit at a time. The answer is the same whatever the code is.", Code: "exo/finish.go"},
			{Text: "reveal(safe.code) gives a program the plain code, for it to go on with, at the same price."},
		},
		Done: func(a *Attempt) bool {
			return withheld(a) && slices.ContainsFunc(a.Queries, func(q Query) bool {
				_, where, _ := strings.Cut(q.SQL, "WHERE")
				return strings.Contains(where, `"code"`)
			})
		},
	},
	{
		ID: "key", Title: "Get the key",
		Text: "Get the code of safe 22 out: as your result, in the console, in an error, or on the board. The host looks for it there, and gives you the key.",
		Hints: []Hint{
			{Text: "It has to be the code of this attempt, since the next has another. A bit for each attempt, by how long it takes or whether it ends, wins nothing."},
			{Text: "Where one bit gets out within a program it can be had again and again: ask in a loop, put the code together, return it."},
			{Text: "Places where values meet rules: keys, links, orders, limits, sizes, errors, updates that depend on a condition. SECURITY.md lists each wall with its test.", Code: "SECURITY.md"},
			{Text: "If you get it, it is shown on top of this site in red, and we would like to know how."},
		},
		Done: stolen,
	},
}

// withheld reports whether a program read sealed values, so that its result was refused.
func withheld(a *Attempt) bool {
	return a.Lane == Program && a.Verdict.Kind == "denied" && strings.Contains(a.Verdict.Message, "may not leave this way")
}
