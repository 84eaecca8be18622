package web

// kind is a word of a verdict, with its meaning for a player.
type kind struct{ Word, About string }

// kinds has every word that a verdict can have, with its meaning.
var kinds = []kind{
	{"ok", "It ran to its end. Whether it got what it was after is for you to see."},
	{"denied", "It asked for a member that it was not granted, or that there is not: the two read the same."},
	{"invalid", "An argument or an expression can't be asked, or the database takes no such statement."},
	{"refused", "The filter of its lane did not let the statement through."},
	{"syntax", "The program does not parse, or is written with what is not allowed here."},
	{"program", "The program threw an error, or could never have ended."},
	{"limit", "It used up its time, memory, calls, rows or bytes."},
	{"crashed", "The engine failed under the program. Its process is gone, and nothing else."},
	{"breach", "Its process tried what no program and no statement can do, and was ended for it."},
	{"cancelled", "The host ended it, or was stopped before its turn came. Send it again."},
	{"revoked", "What it held was taken back while it ran."},
	{"conflict", "What it was about to change had changed meanwhile."},
	{"internal", "The host failed, and keeps the reason to itself."},
	{"other", "It failed in a way that has no word."},
}

func known(word string) bool {
	for _, k := range kinds {
		if k.Word == word {
			return true
		}
	}
	return false
}

// Kinds returns the words of verdicts, for the legend.
func (homeView) Kinds() []kind { return kinds }
