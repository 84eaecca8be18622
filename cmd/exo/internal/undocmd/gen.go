package undocmd

// This file has the command exo gen undo, which writes the SQL that exo undo needs in a database.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/schema"
)

func genCommand(files Files) cli.Command {
	return cli.Command{
		Name:  "gen undo",
		Args:  "FILE",
		Short: "write the SQL by which a database keeps what runs change",
		Long: `Prints, for each database of a grant file with undo: 7d, the SQL that exo undo needs there: on SQLite a table; on PostgreSQL a table, functions
and triggers of the tables that programs may change, and of those that cascades and triggers reach. A trigger does nothing but in runs of exo.
Nothing is changed: read the SQL, and run it as the owner of the tables, again when there are new tables. exo doctor names what is missing.

example:
  exo gen undo exo.yaml > undo.sql
`,
		Exits: exits,
		Flags: func(fs *flag.FlagSet) cli.Action {
			role := fs.String("role", "", "`NAME` of PostgreSQL's role for programs (default: that of url)")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				return gen(ctx, files, *role, std.Out, args)
			}
		},
		Values: map[string][]string{"": {cli.AnyFile}},
	}
}

func gen(ctx context.Context, files Files, role string, out io.Writer, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one grant file, not %d arguments", len(args))
	}
	f, err := files.Read(args[0])
	if err != nil {
		return err
	}
	n := 0
	for i := range f.Databases {
		x := &f.Databases[i]
		if x.Undo == 0 {
			continue
		}
		n++
		url, _, err := x.URLs(os.Getenv)
		if err != nil {
			return err
		}
		if strings.HasPrefix(url, "sqlite:") {
			fmt.Fprintf(out, "%s;\n%s;\n", strings.Replace(exosql.CreateUndo, "TABLE", "TABLE IF NOT EXISTS", 1), strings.Replace(exosql.CreateWitness, "TABLE", "TABLE IF NOT EXISTS", 1))
			continue
		}
		live, err := catalogue(ctx, url)
		if err != nil {
			return fmt.Errorf("the database %s: %w", x.Text, err)
		}
		if _, err := io.WriteString(out, exosql.UndoTriggers(live, cmp.Or(role, live.Role.Name), x.Undo, f.Written(live, x.Text)...)); err != nil {
			return err
		}
	}
	if n == 0 {
		return noUndo(args[0])
	}
	return nil
}

func noUndo(path string) error {
	return cli.Usagef("no database of %s has `undo`: write `undo: 7d` next to the database's `url`", path)
}

// catalogue reads all schemas, since a trigger may write to any table.
func catalogue(ctx context.Context, url string) (*schema.Database, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, errors.New("the URL can't be read: want postgres://user@host/database")
	}
	defer db.Close()
	return schema.ReadPostgres(ctx, db)
}
