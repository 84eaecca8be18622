// Package source reads the text of a program: from bytes that anyone may have written to the syntax
// tree of goja's parser, and from a place in that tree back to a place in the text.
//
// A text goes through its files in this order:
//
//   - source: the size, a markdown fence, habits like `export default`; Parse and Erase are the two ways on.
//   - parse: goja's parser, called in the one way that reads no file.
//   - explain: what its author reads where the parser gives up.
//   - erase, erasestmt, erasefunc, eraseexpr, eraseenum, erasetype, eraser: where a text is TypeScript, its
//     types are overwritten with spaces.
//   - prescan, reading: what goja's recursive parser would spend on a text is bounded before it sees it.
//   - regexp, regexpclass: regular expressions that Go's engine runs.
//   - position, fault: places, and a refusal at a place.
//
// Package front decides which trees are programs.
package source
