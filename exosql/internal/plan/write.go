package plan

// Write is what a plan changes in one table: nothing else is admitted by the engine's wall.
type Write struct {
	Table    string
	Insert   bool
	Rows     int      // that an insert adds
	Given    []string // the columns of an insert
	Update   []string // the columns
	Delete   bool
	Labelled bool     // a column of the table is, or its rows: whether a value is another than before must not show
	Effects  []string // that its host knows of: names of triggers, and cascades as "table(columns)"
}
