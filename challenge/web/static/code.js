// Code as tokens, for reading. Whatever the text is, it is put into the page as text.
// Others write what is read here (an attempt that is shared): no pattern may try one
// stretch of text in two ways, or a long one takes the reader's browser for minutes.

const js = {
  words: new Set("as async await break case catch class const continue declare default delete do else export extends false finally for from function if import in infer instanceof interface keyof let new null of return static super switch this throw true try type typeof undefined var void while yield".split(" ")),
  token: /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?)|(\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)n?\b)|([\p{L}_$][\p{L}\p{N}_$]*)|(\s+|[^])/gu,
};
const sql = {
  words: new Set("all and as asc between by case cast collate count create cross delete desc distinct drop else end escape except exists from full glob group having in inner insert intersect into is isnull join left like limit natural not notnull null offset on or order outer over partition right select set then union update using values when where with".split(" ")),
  token: /(--[^\n]*|\/\*[^]*?(?:\*\/|$))|('(?:''|[^'])*'?)|(\b\d+(?:\.\d*)?\b|[?$:]\d+)|("(?:""|[^"])*"?|[\p{L}_][\p{L}\p{N}_$]*)|(\s+|[^])/gu,
};

// tokens are {kind, text}; kind is "", "comment", "string", "number", "keyword" or "name".
export function tokens(text, language) {
  const l = language === "sql" ? sql : js;
  const out = [];
  for (const m of text.matchAll(l.token)) {
    const [t, comment, string, number, word] = m;
    let kind = "";
    if (comment !== undefined) kind = "comment";
    else if (string !== undefined) kind = "string";
    else if (number !== undefined) kind = "number";
    else if (word !== undefined) kind = l.words.has(language === "sql" ? t.toLowerCase() : t) ? "keyword" : "name";
    // A name is coloured where something is called, or reached through a dot.
    if (kind === "name" && language !== "sql" && text[m.index - 1] !== "." && text[m.index + t.length] !== "(") kind = "";
    out.push({ kind, text: t });
  }
  return out;
}

// lines draws text as one element a line. bad is {line, column}, both from 1, of the
// place to be marked.
export function lines(text, language, bad) {
  const out = [];
  let line, column;
  const next = () => {
    line = document.createElement("span");
    line.className = "l";
    column = 1;
    out.push(line);
    if (bad && out.length === bad.line) line.classList.add("bad");
  };
  next();
  for (const { kind, text: t } of tokens(text, language)) {
    for (const [i, part] of t.split("\n").entries()) {
      if (i > 0) {
        line.append("\n");
        next();
      }
      if (part === "") continue;
      const here = bad && out.length === bad.line && bad.column >= column && bad.column < column + part.length;
      column += part.length;
      if (!kind && !here) {
        line.append(part);
        continue;
      }
      const span = document.createElement("span");
      if (kind) span.className = "t-" + kind;
      if (here) span.classList.add("here");
      span.textContent = part;
      line.append(span);
    }
  }
  return out;
}

// colour draws every piece of code under root.
export function colour(root) {
  for (const pre of root.querySelectorAll("pre[data-code]")) {
    const spans = tokens(pre.textContent, pre.dataset.code).map(({ kind, text }) => {
      if (!kind) return text;
      const span = document.createElement("span");
      span.className = "t-" + kind;
      span.textContent = text;
      return span;
    });
    pre.replaceChildren(...spans);
  }
}
