package postgres

// pinPath sets the search path for good: the schemas that the URL, the role or the
// database says, without pg_catalog, which PostgreSQL searches first where the path does
// not name it, and with temporary tables after all. An operator or function of a schema
// in front of pg_catalog would stand in for the one that a scope is compared with. The
// statement itself runs on the path that was found, so it names the schema of all that
// it uses. Held by TestShadowedOperators.
//
// A schema on the path can still add operators on types for which pg_catalog has only that
// of a related type: two varchars, an enum, a domain. Texts are cast to
// text, see expr.From.Pair; so only the host may create there (Check).
const pinPath = `SELECT pg_catalog.set_config('search_path', pg_catalog.array_to_string(pg_catalog.array_append(
	ARRAY(SELECT pg_catalog.quote_ident(s) FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) AS s WHERE s OPERATOR(pg_catalog.!~) '^pg_'), 'pg_temp'), ', '), false)`
