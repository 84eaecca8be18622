(function (engine) {
	'use strict';
	const { Array: { isArray }, Object: { keys }, Date: D, Map: M, Set: S, TypeError } = engine;
	const clone = (x, seen) => {
		if (typeof x === 'function' || typeof x === 'symbol') throw new TypeError('structuredClone: functions and symbols can\'t be cloned');
		if (typeof x !== 'object' || x === null) return x;
		if (seen.has(x)) return seen.get(x);
		let out;
		if (isArray(x)) { seen.set(x, out = []); for (const y of x) out.push(clone(y, seen)); return out; }
		if (x instanceof D) return new D(x.getTime());
		if (x instanceof M) { seen.set(x, out = new M()); for (const [k, v] of x) out.set(clone(k, seen), clone(v, seen)); return out; }
		if (x instanceof S) { seen.set(x, out = new S()); for (const v of x) out.add(clone(v, seen)); return out; }
		seen.set(x, out = {});
		for (const k of keys(x)) out[k] = clone(x[k], seen);
		return out;
	};
	return { structuredClone: (x) => clone(x, new M()) };
})
