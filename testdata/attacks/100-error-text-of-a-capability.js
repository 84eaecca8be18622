// Misuse of a capability printed its private fields into the error.
const out = [];
for (const f of [() => box(), () => box - 1, () => { const { secret, Secret } = box; return [secret, Secret]; }, () => box.Secret, () => `${box}`, () => box + '', () => [...box], () => new box(), () => box.put.Secret ?? 'none']) {
  try { out.push(String(f())); } catch (e) { out.push(e.message); }
}
return out.join('\n').includes('HID' + 'DEN');
//=> false
---
// twin: raw
return JSON.stringify(api.store);
//~> "HIDDEN"
