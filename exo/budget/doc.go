// Package budget bounds what many runs use together: calls, effects, rows, bytes, and bits of sealed values. What they have used is kept in a store, so a
// restart gives nothing back, and processes that share the store share the budgets.
//
//	set, err := budget.In(s, "support", budget.Budget{Per: budget.Principal, Every: 24 * time.Hour, Rows: 1000})
//	tool, err := codemode.New(grants, &codemode.Options{Principal: "ann", Budgets: set})
//
// A budget is full again at fixed times in UTC: each window begins at a multiple of Every since Monday, January 1 of the year 1. So with 24 hours it is
// full again at midnight, and with 7 days on Monday. A clock that was set back opens no window again: what was used in a later one still counts.
//
// A run reserves before it uses: an eighth of what is left, or what it needs if that is more, but no more than one run may use. The reservation counts as
// used in the store from then on. When the run ends, the rest goes back. The rest of a process that was killed stays used until the budget is full again.
// So nothing above a budget is ever delivered, whatever processes do at the same time, and a run costs two changes of the store for each budget, at
// its first call and at its end, and none for each call, unless little is left. While a run holds a reservation, others may be refused although it gives a part back later.
//
// What counts:
//   - Calls: each message that the program sends, also one that is refused for another reason, and those of a preview.
//   - Effects: each message that changes something or asks for a held effect. Those that did not take place go back at the end of the run; a preview has
//     none.
//   - Rows and Bytes: what a program gets, when it gets that. A reply with more than is left is not delivered, and uses the rest up.
//   - Bits: what declassifiers reveal. See Set.Bits.
//
// A run that has read what its result may not carry uses at once, and for good, all calls, rows and bytes that a run may use. Otherwise such a program could
// show what it read by how much it leaves to others. It can have no more effects, so those that took place count alone.
//
// What a program can still learn: whether a run sent any message that began with a label its result may not carry; when a budget is used up, and by trying how much is left. Of a budget per tool that is a sum of what all its users did.
package budget
