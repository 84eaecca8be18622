(function (engine) {
	'use strict';
	const { Function, Map: M, Object } = engine;
	// Taken now: a program may have put others in their places when it groups.
	const uncurry = Function.prototype.bind.bind(Function.prototype.call);
	const has = uncurry(M.prototype.has), get = uncurry(M.prototype.get), set = uncurry(M.prototype.set);
	const push = (list, x) => { list[list.length] = x; };
	const define = Object.defineProperty, create = Object.create;
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });
	const groupInto = (items, f, add) => { let i = 0; for (const x of items) add(f(x, i++), x); };
	hide(Object, 'groupBy', function groupBy(items, f) {
		const out = create(null);
		groupInto(items, f, (k, x) => { push(out[k] ??= [], x); });
		return out;
	});
	hide(M, 'groupBy', function groupBy(items, f) {
		const out = new M();
		groupInto(items, f, (k, x) => { if (has(out, k)) push(get(out, k), x); else set(out, k, [x]); });
		return out;
	});
})
