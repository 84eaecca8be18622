package postgres

// pinPath sets the search path for the whole session, and pinPathHere for the transaction: the schemas that the URL, the role or the
// database sets, without pg_catalog, and with temporary tables last. PostgreSQL searches pg_catalog
// first if the path does not name it. An operator or function in a schema before pg_catalog would
// replace the one that compares a scope. The statement itself runs on the path that it finds, so it
// names the schema of everything that it uses (TestShadowedOperators).
//
// A schema on the path can still add operators on types for which pg_catalog only has the operator
// of a related type: two varchars, an enum, a domain. So texts are cast to text (see
// expr.From.Pair), and only the host may create objects there (Check).
const (
	pinPath     = pathOf + `, false)`
	pinPathHere = pathOf + `, true)`
)

const pathOf = `SELECT pg_catalog.set_config('search_path', pg_catalog.array_to_string(pg_catalog.array_append(
	ARRAY(SELECT pg_catalog.quote_ident(s) FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) AS s WHERE s OPERATOR(pg_catalog.!~) '^pg_'), 'pg_temp'), ', ')`
