// Package dojo replays what a model does that is fooled by the data it reads, in the manner of AgentDojo (Debenedetti et al.
// 2024): small worlds, in four of which somebody asks for ten things, while the data holds instructions of an
// attacker. For each there is the program of an honest model, which has to do what was asked, and that of a fooled
// one, which has to fail; and to succeed where nothing is labelled, or it would show nothing.
//
// The worlds are testdata/dojo: a schema, a grant file with labels, and tasks.
package dojo
