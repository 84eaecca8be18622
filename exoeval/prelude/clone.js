(function (engine) {
	'use strict';
	const { Array: { isArray }, Function, Object: { keys }, Date: D, Map: M, Set: S, TypeError, sealed } = engine;
	// Taken now: a program may have put others in their places when it clones.
	const uncurry = Function.prototype.bind.bind(Function.prototype.call);
	const has = uncurry(M.prototype.has), get = uncurry(M.prototype.get), set = uncurry(M.prototype.set), add = uncurry(S.prototype.add);
	const eachOf = uncurry(M.prototype.forEach), eachIn = uncurry(S.prototype.forEach), time = uncurry(D.prototype.getTime);
	const clone = (x, seen) => {
		if (sealed(x)) return x; // nothing changes it
		if (x == null) return x; // asks what only describes a query, which throws
		if (typeof x === 'function' || typeof x === 'symbol') throw new TypeError('structuredClone: functions and symbols can\'t be cloned');
		if (typeof x !== 'object') return x;
		if (has(seen, x)) return get(seen, x);
		let out;
		if (isArray(x)) { set(seen, x, out = []); for (let i = 0; i < x.length; i++) out[i] = clone(x[i], seen); return out; }
		if (x instanceof D) return new D(time(x));
		if (x instanceof M) { set(seen, x, out = new M()); eachOf(x, (v, k) => { set(out, clone(k, seen), clone(v, seen)); }); return out; }
		if (x instanceof S) { set(seen, x, out = new S()); eachIn(x, (v) => { add(out, clone(v, seen)); }); return out; }
		set(seen, x, out = {});
		for (const k of keys(x)) out[k] = clone(x[k], seen);
		return out;
	};
	return { structuredClone: (x) => clone(x, new M()) };
})
