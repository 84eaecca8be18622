package strict

// This file parses the text of a file.

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Load reads the one document of a file.
func Load(text []byte, doc *yaml.Node) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	var more yaml.Node
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return errSecond
	}
	return nil
}

var errSecond = errors.New("a grant file has one document: leave out the line --- and what follows it")

// PosOfError returns the place of an error of Load.
func PosOfError(err error) Pos {
	if e, ok := errors.AsType[*yaml.LoadError](err); ok && e.Mark.Line > 0 {
		return Pos{e.Mark.Line, max(e.Mark.Column, 1)}
	}
	return Pos{1, 1}
}

// Shortened returns the text of an error of Load in one line.
func Shortened(err error) string {
	if err == errSecond {
		return err.Error()
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		text = e.Message
	}
	return "the text is not YAML: " + text[:min(len(text), 300)] + "; look at the indentation, quotes and brackets here and in the lines above"
}
