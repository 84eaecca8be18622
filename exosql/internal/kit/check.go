package kit

type CheckedEntry struct{ ID, Account int64 }
