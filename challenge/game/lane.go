package game

import "slices"

// Lane is a way to attack a target.
type Lane string

const (
	Program Lane = "program" // the player writes the program, which makes this the strongest attack
	Model   Lane = "model"   // the player talks to a model, which writes programs
	Notice  Lane = "notice"  // a control lane: any SQL, with a notice of what is allowed
	Filter  Lane = "filter"  // a control lane: any SQL that gets past regular expressions
)

// Lanes are all lanes, in the order in which pages show them.
var Lanes = []Lane{Program, Model, Notice, Filter}

// Guarded reports whether programs reach the database only through exosql. A key from a guarded lane proves a hole; a key from another lane
// shows that the game is real.
func (l Lane) Guarded() bool { return l == Program || l == Model }

// Title returns the lane's name for people.
func (l Lane) Title() string {
	switch l {
	case Program:
		return "Program"
	case Model:
		return "Model"
	case Notice:
		return "SQL with a notice"
	case Filter:
		return "SQL with a filter"
	}
	return string(l)
}

// About describes what a player does in the lane.
func (l Lane) About() string {
	switch l {
	case Program:
		return "You write the program. It runs in a process of its own, against the granted relation and nothing else."
	case Model:
		return "You talk to a model, which writes programs against the same relation. Persuade it of anything you like."
	case Notice:
		return "You write SQL. Only a notice asks you to keep to your own rows."
	case Filter:
		return "You write SQL, and regular expressions decide whether it runs."
	}
	return ""
}

// Known reports whether the lane exists.
func (l Lane) Known() bool { return slices.Contains(Lanes, l) }
