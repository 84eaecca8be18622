// The host's API, for the page of a player.

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// slow is the pause before a host is asked again that did not wait.
const slow = 2500;

// progress is how far an attempt has come that is not over.
export const progress = (a) => (a.position ? `Waiting, number ${a.position} in the queue.` : "Running.");

export class Host {
  constructor(token) {
    this.token = token;
  }

  async get(path) {
    return this.read(await fetch(path, { headers: { Accept: "application/json" } }));
  }

  // read is an answer's JSON, or an error in the host's words.
  async read(res) {
    const body = await res.json().catch(() => null);
    if (!res.ok || body === null) {
      const error = new Error(body?.error?.message ? `Not taken: ${body.error.message}.` : `The host answered ${res.status}.`);
      error.status = res.status;
      throw error;
    }
    return body;
  }

  // page is a page of this site. Its scripts don't run, and it loads nothing.
  async page(path) {
    const res = await fetch(path);
    if (!res.ok) throw new Error(`The host answered ${res.status}.`);
    return new DOMParser().parseFromString(await res.text(), "text/html");
  }

  async send(target, lane, input) {
    let res;
    try {
      res = await fetch("/api/v1/attempts", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Token": this.token },
        body: JSON.stringify({ target, lane, input }),
      });
    } catch {
      throw new Error("The host does not answer. What you wrote is still here: send it again.");
    }
    return this.read(res);
  }

  // wait returns when the attempt is over, however often the connection is lost.
  async wait(id, say) {
    for (let lost = 0; ; ) {
      const asked = performance.now();
      let a;
      try {
        a = await this.get(`/api/v1/attempts/${id}?wait=15`);
        lost = 0;
      } catch (e) {
        if (e.status && e.status !== 429 && e.status < 500) throw e;
        lost++;
        say(e.status === 429 ? "You ask more than the host answers; it goes on in a moment." : "The connection is lost; trying again.");
        await pause(e.status === 429 ? slow : Math.min(500 * lost, 5000));
        continue;
      }
      if (a.state === "ended" || a.state === "interrupted") return;
      say(progress(a));
      // A host that answers at once has no place to wait in, or can't keep what the
      // attempt came to: asking on would spend what this address may ask.
      await pause(performance.now() - asked < 1000 ? slow : 200);
    }
  }
}
