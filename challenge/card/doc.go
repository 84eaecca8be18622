// Package card draws the pictures that other sites show with a link to a page of the challenge. It draws players' texts as pixels, letter by
// letter, from a list of letters. Anything else becomes a dot: marks that turn the direction of text, empty signs, letters of no width. What
// does not fit is cut. So no text can look like another, leave its place, or make a picture large.
package card
