package message

const (
	MaxArg      = maxArg
	MaxLiterals = maxLiterals
)
