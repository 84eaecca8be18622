// Package cursor seals the position at which a page of a query ended. A program hands the cursor back to get
// the next page. A position has values of the last row, also of columns that the program may not see, so it
// is encrypted. It is authenticated for one use, so a program can't make one up or use it for another query.
package cursor
