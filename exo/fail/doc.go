// Package fail has the error type of this module, modelled on upspin's. An [Error] has a [Kind], a text that a program may read, a
// place in the program, and a cause that only the host sees. Functions return it as a plain error: read it with [KindOf], [GuestText]
// and [PosOf].
package fail
