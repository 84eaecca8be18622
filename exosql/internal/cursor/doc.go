// Package cursor seals where a page of a query ended, for a program to hand back when it wants the
// next one. What is sealed are values of the last row, of columns among them that the program may not see, so a cursor is
// encrypted; and it is authenticated for one use, so that nobody makes one up, or takes one to another query.
package cursor
