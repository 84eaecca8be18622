// Package files makes a folder an object of the gate: programs list and read its files as text or rows, and write whole files, where globs of
// the host allow it. A program gets no descriptor and no path outside of the folder, and no link, device or pipe is followed or opened. Its
// design is DESIGN.md in this package's folder.
//
//	list({glob?})                   path, size and time of the files that may be read
//	read({path})                    the text of one
//	rows({path, separator?})        the rows of a .csv, .tsv, .jsonl or .ndjson file
//	write({path, text})             makes or replaces a file, after the program has ended well
//
// Answers are untrusted unless Config.Trusted is set. A folder has one label: files with another label belong to another folder, which is an object of
// its own.
//
// A text that a program writes is on the disk before the run commits, under a hidden name in the same folder. It gets its own name after the commit. If
// the process is killed in between, record.Settlers complete the write at the next start. The run itself reads what it has written.
package files
