// Package store keeps data that must outlive a process: bits that declassifiers took, the labels of conversations, and the like. A [Store] maps keys to
// small values of JSON. Each value has a version, and may have an end, a time after which it is absent. Its design is DESIGN.md in this package's
// folder.
//
// [OpenFolder] keeps entries as files of a folder, for the processes of one machine. The package exo/store/postgres keeps them in a table, for
// processes on several machines. [NewMemory] keeps them in memory, for tests and for data that may be lost with the process. storetest.Run checks that
// they all behave in the same way, and can check a store of your own.
//
// A change names the version that it replaces, and happens only while the entry has that version:
//
//	err := store.Update(ctx, s, "counts/ann", func(e *store.Entry) (bool, error) {
//		n, err := decode(e.Value) // e.Version is store.Absent where there is no entry
//		e.Value = encode(n + 1)
//		return true, err
//	})
//
// Units and bounds: a key has 1 to [MaxKey] bytes of UTF-8 without NUL, a value at most [MaxValue] bytes of JSON. An end is rounded up to whole
// milliseconds. From its end on an entry is absent for every operation, but takes up room until [Store.Sweep] removes it. No store sweeps by itself, so
// code that puts entries with an end must call Sweep.
//
// Durability: a change that returned nil is on the disk, or committed, and other processes read it from then on. A Put or Delete that failed has not
// happened, unless the error is [ErrUnknown]; a Sweep that failed may have removed some entries.
//
// Trust: a process that can write the folder or the table can change and remove everything in it. Nothing is encrypted. Programs have no access to a
// store.
package store
