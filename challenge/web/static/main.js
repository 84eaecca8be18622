// The pages with a script: attempts are sent and shown without leaving the page. What
// is shown of them is the host's own page of the attempt, so there is one writer of it.
import { colour } from "./code.js";
import { Declarations } from "./complete.js";
import { Editor } from "./editor.js";
import { Host, progress } from "./host.js";

const host = new Host(document.querySelector('meta[name="form-token"]')?.content ?? "");
const byID = (id) => document.getElementById(id);
// say tells how it goes; what the page shows in another place too is for listeners alone.
const say = (text, shown = true) => {
  const live = byID("live");
  if (!live) return;
  live.classList.toggle("vh", !shown);
  if (live.textContent !== text) live.textContent = text;
};
const complain = (text) => {
  const p = byID("problem");
  if (p) p.textContent = text;
};

// refresh takes the parts of this page that change from the host's newest.
async function refresh(selector = "[data-live]") {
  const page = await host.page(location.pathname);
  for (const now of document.querySelectorAll(selector)) {
    const next = page.getElementById(now.id);
    if (next && next.innerHTML !== now.innerHTML) now.replaceChildren(...[...next.childNodes].map((n) => document.importNode(n, true)));
  }
}

// told is the verdict in one sentence.
function told(record) {
  const text = record.querySelector("#verdict")?.textContent ?? "";
  const rows = record.querySelectorAll("#rows tbody tr").length;
  const key = record.querySelector("#leaked") ? " The key is in it!" : "";
  const tasks = [...record.querySelectorAll("[data-task]")].map((p) => ` Task ${p.textContent.trim()}.`).join("");
  const next = record.querySelector("#next-task") ? ` ${record.querySelector("#next-task").textContent.trim()}.` : "";
  return `Verdict: ${text.trim()}.${rows ? ` ${rows} rows.` : ""}${key}${tasks}${next}`.replace(/\.\./g, ".");
}

// follow waits until an attempt is over and gives its record, as a part of this page.
async function follow(id) {
  await host.wait(id, say);
  const record = (await host.page("/attempts/" + id)).getElementById("record");
  const here = document.importNode(record, true);
  colour(here);
  return here;
}

colour(document);

const copy = byID("copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byID("address").textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byID("address")); // for whoever copies it by hand
    }
  });
}

const own = document.querySelector("main > #record");
if (own && !["ended", "interrupted"].includes(own.dataset.state)) {
  follow(own.dataset.attempt).then(async (record) => {
    own.replaceWith(record);
    say(told(record), false);
    await refresh("#top");
  }, (e) => say(e.message));
}

// Counters and leaderboard stay new while somebody looks at them.
if (document.querySelector("[data-poll]")) {
  const look = () => {
    if (!document.hidden) refresh("[data-poll], #top").catch(() => {}); // the host is away: what is there stays
  };
  setInterval(look, 10_000);
  document.addEventListener("visibilitychange", look);
}

class Game {
  constructor(root) {
    this.target = root.dataset.target;
    this.editors = new Map();
    this.turn = 0;
    this.chat = byID("chat");
    const text = byID("declarations")?.textContent;
    const declarations = text ? new Declarations(text) : null;
    for (const form of root.querySelectorAll("form.attack")) {
      const area = form.elements.input, lane = form.dataset.lane;
      const code = area.dataset.code;
      const editor = code ? new Editor(area, { declarations: code === "js" ? declarations : null, said: (text) => say(text, false) }) : null;
      this.editors.set(lane, editor);
      this.draft(area, editor, lane);
      // Without a session the form itself is sent: its answer brings one.
      if (host.token) form.addEventListener("submit", (e) => {
        e.preventDefault();
        this.send(form, area, lane);
      });
      if (!code) area.addEventListener("keydown", (e) => {
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit();
      });
    }
    for (const button of document.querySelectorAll("button.use")) {
      const editor = this.editors.get("program");
      if (!editor) break;
      button.hidden = false;
      button.addEventListener("click", () => {
        this.open("program");
        editor.value = button.closest("figure").querySelector("pre").textContent;
        this.keep(editor.area, "program");
        editor.area.focus();
      });
    }
    for (const tab of document.querySelectorAll("#tabs a")) tab.addEventListener("click", (e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return; // another window was meant
      e.preventDefault();
      this.open(tab.dataset.lane);
      history.replaceState(null, "", tab.href);
    });
    this.again();
  }

  // open shows a lane, and hides the others.
  open(lane) {
    for (const tab of document.querySelectorAll("#tabs a")) {
      if (tab.dataset.lane === lane) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
      byID("lane-" + tab.dataset.lane).hidden = tab.dataset.lane !== lane;
    }
  }

  // A draft outlives the page, in this browser.
  draft(area, editor, lane) {
    try {
      const kept = localStorage.getItem(`draft.${this.target}.${lane}`);
      if (kept !== null && !area.dataset.sent) {
        if (editor) editor.value = kept;
        else area.value = kept;
      }
    } catch {}
    area.addEventListener("input", () => this.keep(area, lane));
  }

  keep(area, lane) {
    try {
      localStorage.setItem(`draft.${this.target}.${lane}`, area.value);
    } catch {}
  }

  // again follows the attempt that the page came with, and shows the conversation with the model.
  async again() {
    const came = byID("record");
    const rows = [...document.querySelectorAll("#attempts [data-attempt]")];
    // The address of one attempt would bring that back at a reload, in place of the latest and the draft.
    if (location.search.includes("attempt=")) history.replaceState(null, "", location.pathname);
    try {
      if (came) {
        if (["ended", "interrupted"].includes(came.dataset.state)) this.point(came);
        else await this.show(came.dataset.attempt, ++this.turn, true);
      }
      if (this.chat) {
        for (const row of rows.filter((r) => r.dataset.lane === "model").slice(0, 6).reverse()) this.talk(await host.get("/api/v1/attempts/" + row.dataset.attempt));
      }
    } catch (e) {
      complain(e.message);
    }
  }

  async send(form, area, lane) {
    const button = form.querySelector("button");
    if (button.getAttribute("aria-disabled") === "true") return;
    const turn = ++this.turn;
    complain("");
    button.setAttribute("aria-disabled", "true");
    this.editors.get(lane)?.mark(null);
    say("Sending…");
    try {
      const a = await host.send(this.target, lane, area.value);
      say(progress(a));
      await this.show(a.id, turn, true);
      if (lane === "model") {
        this.talk(await host.get("/api/v1/attempts/" + a.id));
        area.value = "";
        this.keep(area, lane);
      }
    } catch (e) {
      say("");
      complain(e.message);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }

  // show puts the record of an attempt beside the editor. Of two that overlap the
  // later one stays.
  async show(id, turn, fresh) {
    const record = await follow(id);
    if (turn === this.turn) {
      byID("place").replaceChildren(record);
      this.point(record);
      if (fresh) {
        say(told(record), false);
        byID("happened").scrollIntoView({ block: "nearest" });
      }
    }
    if (fresh) await refresh();
  }

  // point marks the verdict's place in the editor, if that has what was sent.
  point(record) {
    const editor = this.editors.get(record.dataset.lane);
    const line = Number(record.dataset.line), column = Number(record.dataset.column);
    const sent = record.querySelector("#input").textContent.replace(/\n$/, "");
    if (!editor || !line || sent !== editor.value.replace(/\n$/, "")) return;
    editor.mark({ line, column, text: record.querySelector("#message")?.textContent ?? record.dataset.kind });
  }

  // talk adds a question and its answer to the conversation.
  talk(a) {
    for (const [who, text] of [["You", a.input], ["Model", a.answer || a.verdict.message || a.state]]) {
      const li = document.createElement("li"), name = document.createElement("span");
      name.className = "who";
      name.textContent = who;
      li.append(name, text);
      this.chat.append(li);
    }
    this.chat.hidden = false;
    this.chat.scrollTop = this.chat.scrollHeight;
  }
}

const root = byID("game");
if (root) new Game(root);
