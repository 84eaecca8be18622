(function (engine) {
	'use strict';
	const { Array, Object, Symbol: { iterator }, TypeError } = engine;
	// There are no asynchronous iterators, so this is a list of what may be promises.
	Object.defineProperty(Array, 'fromAsync', { value: async function fromAsync(items, f) {
		if (f !== void 0 && typeof f !== 'function') throw new TypeError('Array.fromAsync wants a function as its second argument');
		if (items === void 0 || items === null) throw new TypeError('Array.fromAsync wants a list');
		const out = [];
		const add = async (x) => { const v = await x; out[out.length] = f === void 0 ? v : await f(v, out.length); };
		if (typeof items[iterator] === 'function') for (const x of items) await add(x);
		else for (let i = 0, n = items.length; i < n; i++) await add(items[i]);
		return out;
	}, writable: true, configurable: true });
})
