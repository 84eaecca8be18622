(function (engine) {
	'use strict';
	const { Promise: P, Object: { defineProperty: define } } = engine;
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });
	hide(P, 'withResolvers', function withResolvers() {
		let resolve, reject;
		const promise = new P((a, b) => { resolve = a; reject = b; });
		return { promise, resolve, reject };
	});
	hide(P, 'try', function try_(f, ...args) { return new P((resolve) => resolve(f(...args))); });
})
