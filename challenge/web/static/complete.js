// What may follow at a place in a program, read from the declarations that models get.
// It is asked at every key, with all that is written: each step goes over that once.
import { tokens } from "./code.js";

// split cuts text at separators that stand in no bracket.
function split(text, at) {
  const out = [];
  let depth = 0, from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.startsWith("=>", i)) i++;
    else if ("([{<".includes(text[i])) depth++;
    else if (")]}>".includes(text[i])) depth--;
    else if (depth === 0 && at.includes(text[i])) {
      out.push(text.slice(from, i));
      from = i + 1;
    }
  }
  out.push(text.slice(from));
  return out;
}

// inside is what stands between the bracket at i and its twin.
function inside(text, i) {
  let depth = 0;
  for (let j = i; j < text.length; j++) {
    if ("([{".includes(text[j])) depth++;
    else if (")]}".includes(text[j]) && --depth === 0) return text.slice(i + 1, j);
  }
  return text.slice(i + 1);
}

// body is where the body of the interface at i begins; a type argument may have braces.
function body(text, i) {
  for (let depth = 0; i < text.length; i++) {
    if (text[i] === "<") depth++;
    else if (text[i] === ">") depth--;
    else if (text[i] === "{" && depth === 0) break;
  }
  return i;
}

// Declarations knows types, their members, and the names that a program finds.
export class Declarations {
  constructor(text) {
    this.types = new Map(); // name: {parents, members: Map(name: {call, type, doc}), row}
    this.names = new Map(); // name: type
    this.rows = new Map(); // a table's name in callbacks: its row's type
    const docs = new Map();
    const bare = text.replace(/^(.*?)\/\/ ?(.*)$/gm, (_, code, doc) => {
      for (const m of code.matchAll(/(\w+)(?:<[^>]*>)?(?:\(.*\))?\??:/g)) docs.set(code.trim().slice(0, 12) + m[1], doc);
      return code;
    });
    for (const m of bare.matchAll(/interface (\w+)/g)) {
      const type = { parents: [], members: new Map() };
      const open = body(bare, m.index);
      const parents = /\bextends (.*)$/s.exec(bare.slice(m.index, open));
      for (const parent of split(parents?.[1] ?? "", ",")) {
        const name = /\w+/.exec(parent);
        if (name) type.parents.push(name[0]);
        const row = /<\s*\{\s*(\w+): (\w+)\s*\}/.exec(parent);
        if (row) {
          type.row = row[1];
          this.rows.set(row[1], row[2]);
        }
      }
      for (const member of split(inside(bare, open), ";\n")) {
        const x = /^\s*(\w+)(?:<[^(]*>)?(\(.*\))?\??: (.*)$/.exec(member);
        if (x) type.members.set(x[1], { call: x[2] !== undefined, type: x[3].trim(), doc: docs.get(member.trim().slice(0, 12) + x[1]) ?? "" });
      }
      this.types.set(m[1], type);
    }
    // Queries of a table that leads to itself have type arguments: UserQuery<{ user: User }, User>.
    for (const m of bare.matchAll(/(\w+)<\s*\{\s*(\w+): (\w+)\s*\}/g)) {
      if (!this.rows.has(m[2])) this.rows.set(m[2], m[3]);
      const type = this.types.get(m[1]);
      if (type && m[1] !== "Query") type.row ??= m[2];
    }
    for (const m of bare.matchAll(/declare const (\w+): (\{|\w+)/g)) {
      if (m[2] !== "{") {
        this.names.set(m[1], m[2]);
        continue;
      }
      const type = { parents: [], members: new Map() };
      for (const member of split(inside(bare, m.index + m[0].length - 1), ";,\n")) {
        const x = /^\s*(\w+): (\w+)/.exec(member);
        if (x) type.members.set(x[1], { call: false, type: x[2], doc: "" });
      }
      this.types.set("typeof " + m[1], type);
      this.names.set(m[1], "typeof " + m[1]);
    }
  }

  // members are those of a type and of what it extends, its own first.
  members(name, seen = new Set()) {
    const out = new Map();
    const type = this.types.get(name);
    if (!type || seen.has(name)) return out;
    seen.add(name);
    for (const t of [type.members, ...type.parents.map((p) => this.members(p, seen))]) {
      for (const [k, v] of t) if (!out.has(k)) out.set(k, v);
    }
    return out;
  }

  // plain is the name of a type as a member is declared with it.
  plain(type, self) {
    const t = type.replace(/ \| null$/, "").replace(/<.*$/, "").trim();
    if (t === "this") return self;
    return this.types.has(t) ? t : type.startsWith("Query<") ? self : "";
  }

  // typeOf follows names, the last of a chain last: "" is not known.
  typeOf(chain, before, depth = 0) {
    const [first, ...rest] = chain;
    if (first === undefined) return ""; // a call of nothing: f(a => …
    let t = this.names.get(first) ?? "";
    if (this.rows.has(first)) t = this.rows.get(first);
    if (!t) t = this.parameter(first, before, depth);
    for (const name of rest) {
      if (!t) return "";
      const m = this.members(t).get(name);
      t = m ? this.plain(m.type, t) : "";
    }
    return t;
  }

  // parameter is the type of a callback's only parameter, by the call that it stands in.
  parameter(name, before, depth) {
    if (depth === maxDepth || name.length > maxName) return "";
    // No two spaces stand side by side in the pattern, or they would share a long stretch.
    const m = [...before.matchAll(new RegExp("\\((?:\\s*async(?=[\\s(]))?(?:\\s*\\()?\\s*" + name.replace(/\$/g, "\\$") + "\\s*(?:\\)\\s*)?=>", "g"))].pop();
    const chain = m && chainBefore(before.slice(0, m.index));
    if (!chain) return this.isProgram(name, before) ? "typeof api" : "";
    const t = this.typeOf(chain.slice(0, -1), before.slice(0, m.index), depth + 1);
    const row = this.types.get(t)?.row;
    return row ? this.rows.get(row) : "";
  }

  // isProgram reports whether the program itself is a function of that name.
  isProgram(name, before) {
    const m = /^\s*(?:export default\s+)?(?:async\b\s*)?(?:function\b\s*(?:\w+\s*)?)?(?:\(\s*)?([\w$]+)/.exec(before);
    return m !== null && m[1] === name && this.types.has("typeof api");
  }

  // at are the options at the end of a text: {from, options: [{name, call, type, doc}]}.
  at(before, asked) {
    const last = tokens(before, "js").at(-1);
    if (last && (last.kind === "comment" || last.kind === "string")) return { from: before.length, options: [] };
    const from = wordBefore(before, before.length);
    const word = before.slice(from);
    const head = before.slice(0, from);
    const dot = /\??\.\s*$/.exec(head);
    let options = [];
    if (dot) {
      const chain = chainBefore(head.slice(0, dot.index));
      const t = chain ? this.typeOf(chain, head) : "";
      options = [...this.members(t)].map(([name, m]) => ({ name, ...m }));
    } else if (asked || word.length > 1) {
      options = [...this.names.keys(), ...this.rows.keys()].map((name) => ({ name, call: false, type: this.names.has(name) ? "granted" : this.rows.get(name), doc: "" }));
    }
    return { from, options: options.filter((o) => o.name.startsWith(word) && o.name !== word) };
  }
}

// maxDepth is how many callbacks within each other are followed.
const maxDepth = 20;

// maxName is the length of a name that is looked for: an engine refuses a pattern of more.
const maxName = 200;

// wordBefore is where the name begins that ends at i; i where none does.
function wordBefore(text, i) {
  let from = i;
  while (from > 0 && /[\p{L}\p{N}_$\ud800-\udfff]/u.test(text[from - 1])) from--;
  while (from < i && /\p{N}/u.test(text[from])) from++;
  return from;
}

// chainBefore reads the names of a.b().c backwards from the end of a text.
function chainBefore(text) {
  const names = [];
  let i = text.length;
  const space = () => {
    while (i > 0 && /\s/.test(text[i - 1])) i--;
  };
  for (;;) {
    space();
    while (i > 0 && (text[i - 1] === ")" || text[i - 1] === "]")) {
      let depth = 0;
      do {
        i--;
        if (")]}".includes(text[i])) depth++;
        else if ("([{".includes(text[i])) depth--;
      } while (i > 0 && depth > 0);
      space();
    }
    const from = wordBefore(text, i);
    if (from === i) return null;
    names.push(text.slice(from, i));
    i = from;
    space();
    if (text[i - 1] !== ".") return names.reverse();
    i--;
    if (text[i - 1] === "?") i--;
  }
}
