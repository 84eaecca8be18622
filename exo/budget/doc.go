// Package budget bounds what many runs use together: calls, effects, rows, bytes, and bits of sealed values. A store keeps what they have used. So a
// restart gives nothing back, and processes that share the store share the budgets.
//
//	set, err := budget.In(s, "support", budget.Budget{Per: budget.Principal, Every: 24 * time.Hour, Rows: 1000})
//	tool, err := codemode.New(grants, &codemode.Options{Principal: "ann", Budgets: set})
//
// A budget is full again at fixed times in UTC: each window begins at a multiple of Every since Monday, January 1 of the year 1. So a budget of 24 hours
// is full again at midnight, and one of 7 days on Monday. If a clock was set back, no earlier window opens again: what was used in a later window still counts.
//
// A run reserves before it uses: an eighth of what is left, or what the run needs if that is more, but no more than one run may use. The reservation
// counts as used in the store from then on. When the run ends, it gives back what it did not use. If its process was killed, that part stays used until
// the budget is full again. So programs never get more than a budget allows, whatever processes do at the same time. A run changes the store twice for
// each budget, at its first call and at its end, and more often only if little is left. While a run has a reservation, other runs may be refused,
// although the run gives a part back later.
//
// What counts:
//   - Calls: each message that the program sends, even if it is refused for another reason, or sent in a preview.
//   - Effects: each message that changes something or asks for a held effect. The run gives back at its end the effects that did not take place. A preview
//     has no effects.
//   - Rows and Bytes: what a program gets, counted when the program gets it. A reply that is larger than what is left is not delivered, and uses up the rest.
//   - Bits: what declassifiers reveal. See Set.Bits.
//
// If a run has read what its result may not carry, it uses up at once, and for good, the calls, rows and bytes that a run may use. Otherwise the run
// could show what it read by how much it leaves to other runs. Such a run can have no more effects, so only the effects that took place count.
//
// A program can still learn whether a run that began with a label its result may not carry sent any message. It can also learn when a budget is used up
// and, by trying, how much is left. For a budget per tool, that shows how much all users of the tool have used together.
package budget
