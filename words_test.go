package exoagent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sqlWords are the words of SQL that no text of exo and exoeval may hold: what an error
// says of queries and columns is data of an interface, see message.Phrase. Words that are
// English or JavaScript as well count where they are written as a call, or stand alone.
var sqlWords = regexp.MustCompile(`(?i)\b(quer(y|ies)|columns?|rows?|tables?|databases?|aggregates?|sql|sqlite|postgres|leftjoin|orderby|order_by|isnull|isnotnull|ilike|coalesce|distinct|null-safe|select|join it|semi-?join)\b` +
	`|\.(where|select|limit|offset|join|as|count|execute|first|exists|like|in|desc|asc|between)\(` +
	`|^\s*(where|select|offset|join|count|exists|like|desc|asc|between|insert|update)\s*$`)

// notSQL are the texts that have such a word for another reason, by file.
var notSQL = map[string]map[string]string{
	"exo/value/typename.go": {"Row": "the kind of interface that stands for a whole record; part of the encoding", "rows": "value.Rows"},
	"exo/value/decode.go":   {"rows that may not come": "value.Rows, records of one shape", "rows that don't fit their shape": "value.Rows"},
	"exo/value/encode.go":   {"rows can't be sent in a message: send their values in a list": "value.Rows", "rows can't be sent or recorded unless they have a valid Shape, and each row as many cells as the Shape is wide": "value.Rows"},
	"exo/adopt.go":          {"exo: Eval returned malformed value.Rows: set Shape, and give each row as many cells as the Shape is wide": "value.Rows"},
	"exo/files/files.go": {"rows": "records of a CSV file", "returns the rows of a file: of CSV all cells are texts, under the names in the first line; of JSON lines each line is an object": "records of a CSV file",
		"`%s` has no rows: rows reads .csv, .tsv, .jsonl and .ndjson, and read gives the text of any file": "records of a CSV file"},
	"exo/policy/log.go":                     {"rows": "value.Rows: how many records a reply has"},
	"exo/record/failure.go":                 {`,"column":`: "the place of an error in the program's text"},
	"exo/record/write.go":                   {`,"rows":`: "value.Rows: how many records a reply has"},
	"exo/message/meet.go":                   {"the policy cleared Row, which only the object itself may clear": "the field Method.Row"},
	"exo/message/node.go":                   {"row": "the type argument that Method.Row is about"},
	"exo/exotest/odd.go":                    {"'; DROP TABLE users; --": "a text that an object must survive"},
	"exo/telemetry/telemetry.go":            {"db.query.summary": "a name of OpenTelemetry's conventions", "exoagent.rows": "value.Rows: how many records a reply has"},
	"exo/store/folder.go":                   {"%w: %w; several processes need LocalOptions.Shared, or exo/store/postgres": "the package for several machines"},
	"exoeval/internal/guest/change.go":      {"count": "a member of what other libraries give for a change", "rows": "the same"},
	"exoeval/internal/guest/filter.go":      {"isNull": "the method that === null stands for"},
	"exoeval/internal/guest/operators.go":   {"isNull": "the method that === null stands for", "isNotNull": "the method that !== null stands for"},
	"exoeval/internal/front/held.go":        {"between": "the name of a method that compares in order"},
	"exoeval/internal/realm/intl.go":        {"use list.join(', ')": "Array.prototype.join is JavaScript's"},
	"exoeval/internal/source/explain.go":    {"Logical expressions and coalesce": "what goja's parser says"},
	"exoeval/console.go":                    {"table": "console.table is JavaScript's"},
	"exoeval/internal/realm/disarm.go":      {"join": "Array.prototype.join is JavaScript's"},
	"exoeval/worker/internal/frame/rows.go": {"the worker returned rows that the host never sent": "value.Rows", "the worker referred to rows with lists or records, which a worker must send whole": "value.Rows", "the worker returned more rows than a result may have": "value.Rows", "the host sent another number of rows than it announced": "value.Rows"},
}

// exo and its evaluators hold no word of SQL.
func TestNoWordOfSQL(t *testing.T) {
	used, files := map[string]bool{}, 0
	for _, dir := range []string{"exo", "exo/*", "exoeval", "exoeval/internal/*", "exoeval/worker", "exoeval/worker/internal/*"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			files++
			set := token.NewFileSet()
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec:
					return false
				case *ast.Field:
					n.Tag = nil
				case *ast.BasicLit:
					if n.Kind != token.STRING {
						return false
					}
					text, err := strconv.Unquote(n.Value)
					if err != nil {
						t.Fatal(err)
					}
					if word := sqlWords.FindString(text); word != "" {
						if notSQL[filepath.ToSlash(path)][text] == "" {
							t.Errorf("%s: %q is a word of SQL: it belongs in the words of an interface", set.Position(n.Pos()), word)
						}
						used[path+text] = true
					}
				}
				return true
			})
		}
	}
	if files < 100 {
		t.Errorf("%d files", files)
	}
	for path, texts := range notSQL {
		for text := range texts {
			if !used[path+text] {
				t.Errorf("%s: no text is %q", path, text)
			}
		}
	}
}

// vague are words of comments with too many meanings to be plain: see section 9 of the project's style. In the place of "beside" and "besides" a
// comment says next to, in addition to, at the same time or but; in the place of "somebody" and "whoever" it names the player, the program, the
// host. Nothing stands anywhere: it is placed, begins or precedes. To stand for something, or still, is plain.
var vague = regexp.MustCompile(`(?i)\b(besides?|whoever|whomever|somebody|stands?)\b`)

// TestVagueWords: no comment of the code has one of the words in vague.
func TestVagueWords(t *testing.T) {
	later := regexp.MustCompile(`^(internal/(grantfile|wall)|exo/(web|mcpclient|record/tree))/`) // not read for these words yet
	seen := 0
	err := walkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || later.MatchString(path) || strings.Contains("/"+path, "/testdata/") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range f.Comments {
			text := strings.Join(strings.Fields(group.Text()), " ")
			for _, at := range vague.FindAllStringIndex(text, -1) {
				word, after := text[at[0]:at[1]], text[at[1]:]
				name := at[0] == 0 || strings.HasPrefix(after, "`") // of what the comment is about
				if seen++; !name && !strings.HasPrefix(after, " for") && !strings.HasPrefix(after, " still") {
					t.Errorf("%s: %q in the comment %.80q…: choose a word with one meaning", set.Position(group.Pos()), word, text[max(0, at[0]-40):])
				}
			}
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Errorf("%d words were looked at: %v", seen, err)
	}
}
