package schema

import "strings"

// passed are statements that don't change what a Database holds.
var passed = wordSet(`ABORT ANALYZE ATTACH BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMIT COPY DEALLOCATE DECLARE DELETE DETACH DISCARD DO END EXECUTE EXPLAIN
	FETCH GRANT INSERT LISTEN LOAD LOCK MERGE NOTIFY PRAGMA PREPARE REASSIGN REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SELECT SET SHOW START
	TRUNCATE UPDATE VACUUM VALUES WITH`)

// statement reads one statement with its semicolon.
func (p *parser) statement() {
	if p.punct(";") {
		return
	}
	first := p.peek()
	switch {
	case p.accept("CREATE"):
		p.create()
	case p.accept("ALTER"):
		p.alter()
	case p.accept("DROP"):
		p.drop()
	case p.accept("COMMENT", "ON"):
		p.comment()
	case p.is("SET") && (p.ahead(1).up == "SEARCH_PATH" || p.ahead(2).up == "SEARCH_PATH"):
		p.searchPath()
	case p.is("SELECT") && p.engine == Postgres:
		p.setConfig()
	case first.kind == tokWord && passed[first.up]:
		p.skip()
	case first.kind == tokWord:
		p.fail(first, "%s begins no statement that is known; want CREATE TABLE, CREATE INDEX, ALTER TABLE, CREATE TYPE, COMMENT ON, …", clip(first.text))
	default:
		p.want("a statement")
	}
	p.end()
}

// searchPath reads SET search_path TO a, b.
func (p *parser) searchPath() {
	p.next()
	_ = p.accept("SESSION") || p.accept("LOCAL")
	p.next()
	if !p.accept("TO") {
		p.expectPunct("=")
	}
	if p.accept("DEFAULT") {
		p.path, p.db.Path = []string{"public"}, []string{"public"}
		return
	}
	p.path = nil
	for {
		t := p.next()
		switch {
		case t.kind == tokName, t.kind == tokString:
			p.addPath(t.text)
		case t.kind == tokWord:
			p.addPath(strings.ToLower(t.text))
		default:
			p.fail(t, "want the name of a schema")
		}
		if !p.punct(",") {
			break
		}
	}
	if len(p.path) > 0 {
		p.db.Path = p.path
	}
}

func (p *parser) addPath(s string) {
	if s != "" && s != "$user" {
		p.path = append(p.path, s)
	}
}

// setConfig reads what dumps begin with: SELECT pg_catalog.set_config('search_path', ”, false).
func (p *parser) setConfig() {
	for !p.at(tokEnd) && !p.isPunct(";") {
		t := p.next()
		if t.up == "SET_CONFIG" && p.isPunct("(") && p.ahead(1).text == "search_path" && p.ahead(3).kind == tokString {
			p.path = nil
			for s := range strings.SplitSeq(p.ahead(3).text, ",") {
				p.addPath(strings.Trim(strings.TrimSpace(s), `"`))
			}
			if len(p.path) > 0 {
				p.db.Path = p.path
			}
		}
	}
}

func (p *parser) create() {
	replace := p.accept("OR", "REPLACE")
	temp := p.accept("TEMP") || p.accept("TEMPORARY") || p.accept("GLOBAL", "TEMPORARY") || p.accept("LOCAL", "TEMPORARY") || p.accept("GLOBAL", "TEMP") || p.accept("LOCAL", "TEMP")
	switch {
	case temp && p.oneOf("TABLE", "VIEW", "RECURSIVE", "SEQUENCE"):
		p.skip() // no part of the database
	case temp:
		p.skipTrigger()
	case p.accept("TABLE"), p.accept("UNLOGGED", "TABLE"):
		p.createTable()
	case p.accept("FOREIGN", "TABLE"):
		p.createTable()
	case p.accept("VIRTUAL", "TABLE"):
		p.createVirtual()
	case p.accept("INDEX"):
		p.createIndex(false)
	case p.accept("UNIQUE", "INDEX"):
		p.createIndex(true)
	case p.accept("VIEW"), p.accept("RECURSIVE", "VIEW"):
		p.createView(false, replace)
	case p.accept("MATERIALIZED", "VIEW"):
		p.createView(true, replace)
	case p.accept("TYPE"):
		p.createType()
	case p.accept("DOMAIN"):
		p.createDomain()
	case p.accept("TRIGGER"), p.accept("CONSTRAINT", "TRIGGER"):
		p.createTrigger()
	case p.accept("POLICY"):
		p.createPolicy()
	case p.accept("RULE"):
		p.createRule()
	case p.oneOf("FUNCTION", "PROCEDURE"):
		p.skipFunction()
	case p.oneOf("SCHEMA", "EXTENSION", "SEQUENCE", "AGGREGATE", "OPERATOR", "CAST", "COLLATION", "ROLE", "USER", "DATABASE", "LANGUAGE", "TRUSTED", "PUBLICATION",
		"SUBSCRIPTION", "SERVER", "STATISTICS", "TEXT", "TABLESPACE", "EVENT", "GROUP", "CONVERSION", "TRANSFORM", "ACCESS", "DEFAULT"),
		p.is("FOREIGN", "DATA"), p.is("USER", "MAPPING"):
		if p.is("COLLATION") {
			p.createCollation()
		}
		p.skip()
	default:
		p.want("TABLE, INDEX, TYPE, VIEW, TRIGGER, POLICY or another thing that can be made")
	}
}

// skipFunction passes over a function: one whose body is not a text ends with END.
func (p *parser) skipFunction() {
	for !p.at(tokEnd) && !p.isPunct(";") {
		if p.is("BEGIN", "ATOMIC") {
			p.body()
			continue
		}
		p.next()
	}
}

// body passes over BEGIN … END with the statements and CASE … END within.
func (p *parser) body() {
	begin := p.next()
	for depth := 1; depth > 0; {
		t := p.next()
		switch {
		case t.kind == tokEnd:
			p.fail(begin, "this BEGIN has no END")
		case t.kind != tokWord:
		case t.up == "CASE":
			depth++
		case t.up == "END":
			depth--
		}
	}
}

// drop reads DROP.
func (p *parser) drop() {
	kind := p.next()
	if kind.up == "MATERIALIZED" || kind.up == "FOREIGN" && p.is("TABLE") {
		kind = p.next()
	}
	switch kind.up {
	case "TABLE", "VIEW", "INDEX", "TYPE", "DOMAIN", "TRIGGER", "POLICY", "RULE":
	default:
		p.skip()
		return
	}
	_ = p.accept("CONCURRENTLY")
	maybe := p.accept("IF", "EXISTS")
	for {
		at := p.peek()
		n := p.reference("a name")
		var on *Table
		if p.engine == Postgres && p.accept("ON") {
			if r := p.reference("a table"); p.lookup(r) != nil {
				on = p.lookup(r)
			} else if !maybe {
				p.fail(at, "there is no table %s up to here", r)
			}
		}
		if !p.remove(kind.up, n, on) && !maybe {
			p.fail(at, "there is no %s %s up to here", strings.ToLower(kind.up), n)
		}
		if !p.punct(",") {
			break
		}
	}
	_ = p.accept("CASCADE") || p.accept("RESTRICT")
}
