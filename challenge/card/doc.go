// Package card draws the pictures that other sites show with a link to a page of the challenge. Texts of
// players are drawn as pixels, letter by letter, from a list of letters: what is not in the list
// (marks that turn the direction of text, empty signs, letters of no width) is drawn as a dot, and what
// does not fit is cut. So no text can look like another, leave its place, or make a picture large.
package card
