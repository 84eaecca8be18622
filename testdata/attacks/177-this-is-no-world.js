// A plain call's `this` must not be the global object.
const f = function () { return this; };
const g = { m() { return (() => this)(); } }.m;
return [typeof f(), typeof g(), typeof [1].map(function () { return this; })[0], typeof f.call(null), typeof f.apply(undefined)];
//=> ["undefined","undefined","undefined","object","undefined"]
---
// twin: raw
return typeof (function () { return this; })();
//=> "object"
