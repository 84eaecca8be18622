// Package fail has the one error type of this module. An [Error] has a [Kind], a text that a program may read, a place in the
// program, and a cause for the host, which no program sees (after upspin's errors). Functions return it as a plain error: ask it with
// [KindOf], [GuestText] and [PosOf].
package fail
