package game

import "slices"

// Lane is a way to attack a target.
type Lane string

const (
	Program Lane = "program" // the player writes the program: the strongest attacker there is
	Model   Lane = "model"   // the player talks to a model, which writes programs
	Notice  Lane = "notice"  // control: any SQL, with a rule that asks to be kept
	Filter  Lane = "filter"  // control: any SQL that gets past regular expressions
)

// Lanes are all of them, in the order in which they are shown.
var Lanes = []Lane{Program, Model, Notice, Filter}

// Guarded reports whether programs reach the database only through exosql. A key out of a
// guarded lane is a hole in it; one out of the others shows that the game is real.
func (l Lane) Guarded() bool { return l == Program || l == Model }

// Title is the lane's name for people.
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

// About says what a player does there.
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

// Known reports whether there is such a lane.
func (l Lane) Known() bool { return slices.Contains(Lanes, l) }
