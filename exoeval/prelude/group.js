(function (engine) {
	'use strict';
	const { Map: M, Object } = engine;
	const define = Object.defineProperty, create = Object.create;
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });
	const groupInto = (items, f, add) => { let i = 0; for (const x of items) add(f(x, i++), x); };
	hide(Object, 'groupBy', function groupBy(items, f) {
		const out = create(null);
		groupInto(items, f, (k, x) => { (out[k] ??= []).push(x); });
		return out;
	});
	hide(M, 'groupBy', function groupBy(items, f) {
		const out = new M();
		groupInto(items, f, (k, x) => { if (out.has(k)) out.get(k).push(x); else out.set(k, [x]); });
		return out;
	});
})
