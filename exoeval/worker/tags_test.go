package worker

// Tags of the canonical encoding, as somebody writes them who attacks its decoder. Its
// golden file (exo/testdata/encoding) says the same.
const (
	tagNone = iota
	tagNull
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText
	tagTime
	tagList
	tagRecord
	tagRows
	tagRef
)
