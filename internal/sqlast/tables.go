package sqlast

// Tables returns, for each table named in s, the columns that s reads from it: the least that an authorizer must admit. It traces columns of
// derived tables to their origin. All outputs of a derived table count, read or not. A table with rows that are only counted (COUNT(*),
// EXISTS) has an empty set. Names are spelled as in s. For a tree that Render refuses in every dialect Tables returns nil, which admits
// nothing.
func Tables(s *Select) map[string]map[string]bool {
	reads, err := check(s, NoDialect)
	if err != nil {
		return nil
	}
	return reads
}

// Folded folds the names of tables and columns as engines compare them.
func Folded(reads map[string]map[string]bool) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for t, cols := range reads {
		folded := map[string]bool{}
		for c := range cols {
			folded[Fold(c)] = true
		}
		out[Fold(t)] = folded
	}
	return out
}
