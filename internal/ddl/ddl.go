// Package ddl cuts a file of definitions, like schema.sql or a dump, into statements. So an error can name the statement that fails.
package ddl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/schema"
)

// Statement is one statement of a file of definitions.
type Statement struct {
	Text  string
	Line  int      // the line in the file, from 1
	Words []string // the unquoted words outside of parentheses, in upper case
}

// Is reports whether the statement begins with these words.
func (s Statement) Is(words ...string) bool {
	return len(s.Words) >= len(words) && strings.Join(s.Words[:len(words)], " ") == strings.Join(words, " ")
}

// Has reports whether these words follow each other in the statement.
func (s Statement) Has(words ...string) bool {
	return strings.Contains(" "+strings.Join(s.Words, " ")+" ", " "+strings.Join(words, " ")+" ")
}

// Cut cuts a file after each statement. It only finds where a statement ends, and leaves the rest to the engine. It drops COPY … FROM stdin of
// dumps, with the rows.
func Cut(text string, engine schema.Engine) (out []Statement, err error) {
	c := &cutter{text: text, postgres: engine == schema.Postgres}
	for {
		c.skipSpace()
		if c.pos >= len(text) {
			return out, nil
		}
		line := 1 + strings.Count(text[:c.pos], "\n")
		if c.postgres && text[c.pos] == '\\' {
			// pg_dump writes these two commands around every dump. They affect only psql.
			if word := strings.Fields(c.rest())[0]; word != `\restrict` && word != `\unrestrict` {
				return nil, fmt.Errorf("%d: %s is a command of psql, which the server does not know: take it out of the file, or, if pg_dump --create wrote it, dump without --create", line, word)
			}
			c.past("\n")
			continue
		}
		from := c.pos
		s := Statement{Words: c.statement(), Line: line}
		s.Text = strings.TrimSpace(text[from:c.pos])
		if c.postgres && s.Is("COPY") && s.Has("FROM", "STDIN") {
			c.past("\n\\.")
			c.past("\n")
			continue
		}
		if s.Text != ";" {
			out = append(out, s)
		}
	}
}

// cutter walks through a text.
type cutter struct {
	text     string
	pos      int
	postgres bool
}

func (c *cutter) rest() string { return c.text[c.pos:] }

// past moves past the next occurrence of the text in end, or else to the end of the file.
func (c *cutter) past(end string) {
	if i := strings.Index(c.rest(), end); i >= 0 {
		c.pos += i + len(end)
	} else {
		c.pos = len(c.text)
	}
}

// skipSpace moves past white space and comments.
func (c *cutter) skipSpace() {
	for c.pos < len(c.text) {
		r, n := utf8.DecodeRuneInString(c.rest())
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			c.pos += n
		case strings.HasPrefix(c.rest(), "--"):
			c.past("\n")
		case strings.HasPrefix(c.rest(), "/*"):
			c.comment()
		default:
			return
		}
	}
}

// comment moves past a comment. PostgreSQL's comments nest.
func (c *cutter) comment() {
	c.pos += 2
	for depth := 1; depth > 0 && c.pos < len(c.text); {
		switch {
		case strings.HasPrefix(c.rest(), "*/"):
			depth--
			c.pos += 2
		case c.postgres && strings.HasPrefix(c.rest(), "/*"):
			depth++
			c.pos += 2
		default:
			c.pos++
		}
	}
}

// statement moves past the semicolon that ends a statement, and returns the statement's words. It skips semicolons in quotes, in parentheses
// (of rules) and between BEGIN and END (of triggers and functions).
func (c *cutter) statement() (words []string) {
	parens, blocks := 0, 0
	for c.skipSpace(); c.pos < len(c.text); c.skipSpace() {
		switch ch := c.text[c.pos]; {
		case ch == '\'':
			c.quoted('\'', false)
		case ch == '"', ch == '`' && !c.postgres:
			c.quoted(ch, false)
		case ch == '[' && !c.postgres:
			c.past("]")
		case ch == '$' && c.postgres:
			c.dollar()
		case ch == ';':
			c.pos++
			if parens <= 0 && blocks <= 0 {
				return words
			}
		default:
			word := c.word()
			switch {
			case word == "":
				parens += map[byte]int{'(': 1, ')': -1}[ch]
				_, n := utf8.DecodeRuneInString(c.rest())
				c.pos += n
				continue
			case c.postgres && word == "E" && strings.HasPrefix(c.rest(), "'"):
				c.quoted('\'', true)
				continue
			case word == "BEGIN" && len(words) > 0 && words[0] == "CREATE", word == "CASE" && blocks > 0:
				blocks++
			case word == "END" && blocks > 0:
				blocks--
			}
			if parens == 0 {
				words = append(words, word)
			}
		}
	}
	return words
}

// quoted moves past a text in quotes. Two quotes in a row mean one. If escapes is set, a backslash escapes the next character.
func (c *cutter) quoted(q byte, escapes bool) {
	for c.pos++; c.pos < len(c.text); c.pos++ {
		switch c.text[c.pos] {
		case '\\':
			if escapes {
				c.pos++
			}
		case q:
			c.pos++
			return // a doubled quote begins another text, which has the same effect here
		}
	}
}

// dollar moves past $tag$ … $tag$, or past a dollar sign that begins no such text.
func (c *cutter) dollar() {
	tag := c.text[c.pos : c.pos+1]
	for i, r := range c.rest()[1:] {
		if r == '$' {
			tag = c.rest()[:i+2]
			break
		}
		if !wordRune(r) || i == 0 && unicode.IsDigit(r) {
			break
		}
	}
	c.pos += len(tag)
	if len(tag) > 1 {
		c.past(tag)
	}
}

// word moves past a word, and returns it in upper case.
func (c *cutter) word() string {
	from := c.pos
	for i, r := range c.rest() {
		if !wordRune(r) && (r != '$' || i == 0) {
			break
		}
		c.pos = from + i + utf8.RuneLen(r)
	}
	return strings.ToUpper(c.text[from:c.pos])
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || r >= 0x80 && r != utf8.RuneError
}
