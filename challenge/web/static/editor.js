// An editor round a textarea: colours and line numbers below what is typed, completion,
// and a mark where the verdict points. The textarea stays what is read aloud, typed
// into and sent; Tab leaves it, as it leaves any field.
import { lines } from "./code.js";

let count = 0;

export class Editor {
  // declarations gives Declarations, or nothing; said is told what a listener should hear.
  constructor(area, { declarations, said }) {
    this.area = area;
    this.declarations = declarations;
    this.said = said ?? (() => {});
    this.bad = null;
    const box = document.createElement("div");
    box.className = "editor";
    const layer = document.createElement("pre");
    layer.className = "layer";
    layer.setAttribute("aria-hidden", "true");
    this.inner = document.createElement("div");
    this.inner.className = "inner";
    layer.append(this.inner);
    area.before(box);
    box.append(layer, area);
    this.box = box;
    area.wrap = "off";
    this.described = area.getAttribute("aria-describedby") ?? ""; // the lane's own words
    this.note = document.createElement("p");
    this.note.className = "marked";
    this.note.id = area.id + "-marked";
    this.note.hidden = true;
    box.after(this.note);
    this.list = document.createElement("ul");
    this.list.className = "options";
    this.list.id = area.id + "-options";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Completions");
    this.list.hidden = true;
    box.append(this.list);
    if (declarations) {
      area.setAttribute("aria-autocomplete", "list");
      area.setAttribute("aria-controls", this.list.id);
    }
    area.addEventListener("input", (e) => {
      this.mark(null);
      this.draw();
      if (declarations && !e.isComposing) this.offer(false);
    });
    area.addEventListener("scroll", () => this.scroll());
    area.addEventListener("keydown", (e) => this.key(e));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("click", () => this.close());
    this.draw();
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    this.area.value = text;
    this.mark(null);
    this.draw();
    this.close();
  }

  draw() {
    this.inner.replaceChildren(...lines(this.area.value, this.area.dataset.code, this.bad));
    this.scroll();
  }

  scroll() {
    this.inner.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
  }

  // mark shows {line, column, text}, or nothing.
  mark(bad) {
    if (!bad && !this.bad) return;
    this.bad = bad;
    this.note.hidden = !bad;
    if (bad) {
      this.note.textContent = `Line ${bad.line}, column ${bad.column}: ${bad.text}`;
      this.area.setAttribute("aria-describedby", `${this.note.id} ${this.described}`.trim());
      this.area.setAttribute("aria-invalid", "true");
    } else {
      if (this.described) this.area.setAttribute("aria-describedby", this.described);
      else this.area.removeAttribute("aria-describedby");
      this.area.removeAttribute("aria-invalid");
    }
    this.draw();
  }

  // insert replaces what is selected, in a way that undo knows.
  insert(text, back = 0) {
    if (!document.execCommand("insertText", false, text)) this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.selectionStart = this.area.selectionEnd = this.area.selectionStart - back;
    this.draw();
  }

  key(e) {
    if (e.isComposing) return;
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      this.close();
      this.area.form.requestSubmit();
    } else if (e.key === " " && e.ctrlKey && this.declarations) {
      e.preventDefault();
      this.offer(true);
    } else if (!this.list.hidden) {
      this.choose(e);
    } else if (e.key === "Enter" && !e.shiftKey && !e.altKey && this.area.dataset.code) {
      const before = this.area.value.slice(0, this.area.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = /^[ \t]*/.exec(line)[0] + (/(?:[{([]|=>)$/.test(before.trimEnd()) ? "  " : "");
      e.preventDefault();
      this.insert("\n" + indent);
    }
  }

  choose(e) {
    const n = this.list.children.length;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      this.select((this.chosen + (e.key === "ArrowDown" ? 1 : n - 1)) % n);
    } else if (e.key === "Enter" || e.key === "Tab") {
      this.accept();
    } else {
      if (["Escape", "ArrowLeft", "ArrowRight", "Home", "End"].includes(e.key)) this.close();
      if (e.key !== "Escape") return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  offer(asked) {
    const at = this.area.selectionStart;
    const { from, options } = at === this.area.selectionEnd ? this.declarations.at(this.area.value.slice(0, at), asked) : { from: at, options: [] };
    if (options.length === 0) {
      this.close();
      if (asked) this.said("No completions here.");
      return;
    }
    this.from = from;
    this.options = options;
    this.list.replaceChildren(...options.map((o, i) => {
      const li = document.createElement("li");
      li.setAttribute("role", "option");
      li.id = `option-${++count}`;
      const what = document.createElement("span");
      what.className = "what";
      what.textContent = o.name + (o.call ? "()" : "");
      const type = document.createElement("span");
      type.className = "type";
      type.textContent = o.doc || o.type;
      li.append(what, " ", type);
      li.addEventListener("mousedown", (e) => {
        e.preventDefault(); // the field keeps the focus
        this.select(i);
        this.accept();
      });
      return li;
    }));
    this.list.hidden = false;
    this.place(from);
    this.select(0);
    this.said(options.length === 1 ? "1 completion" : `${options.length} completions`);
  }

  // place puts the list below the character at i.
  place(i) {
    const before = this.area.value.slice(0, i).split("\n");
    const line = this.inner.children[before.length - 1].getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    const measure = document.createElement("canvas").getContext("2d");
    measure.font = getComputedStyle(this.area).font;
    const x = line.left - box.left + measure.measureText(before.at(-1).replace(/\t/g, "  ")).width;
    this.list.style.top = `${line.bottom - box.top}px`;
    this.list.style.left = `${Math.max(0, Math.min(x, box.width - this.list.offsetWidth))}px`;
  }

  select(i) {
    this.chosen = i;
    for (const [j, li] of [...this.list.children].entries()) li.setAttribute("aria-selected", String(i === j));
    this.list.children[i].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", this.list.children[i].id);
  }

  accept() {
    const o = this.options[this.chosen];
    this.area.setSelectionRange(this.from, this.area.selectionStart);
    const bare = /^\s*\(/.test(this.area.value.slice(this.area.selectionEnd));
    this.close();
    this.insert(o.name + (o.call && !bare ? "()" : ""));
    this.close();
  }

  close() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }
}
