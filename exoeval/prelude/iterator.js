(function (engine) {
	'use strict';
	// No generators here: what they lead to is made safe only where a program has them.
	const { Function, Infinity, Number, Object, RangeError, Symbol: { iterator }, TypeError, WeakMap } = engine;
	const { create, defineProperty: define, getPrototypeOf } = Object, uncurry = Function.prototype.bind.bind(Function.prototype.call);
	const call = uncurry(Function.prototype.call); // a program may put another in its place
	const proto = getPrototypeOf(getPrototypeOf([][iterator]()));
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });
	const object = (x) => {
		if ((typeof x !== 'object' || x === null) && typeof x !== 'function') throw new TypeError('the value is no iterator: use Iterator.from(list)');
		return x;
	};
	// An iterator as it is at first: its next is looked up once.
	const open = (x) => { const it = object(x), { next } = it; return { it, next: () => object(call(next, it)) }; };
	const close = (s) => { const f = s.it.return; if (f !== void 0 && f !== null) call(f, s.it); };
	// What a callback throws closes the iterator that it was called for.
	const guarded = (s, f) => {
		let ok = false;
		try { const v = f(); ok = true; return v; } finally { if (!ok) try { close(s); } catch (e) { /* the first error counts */ } }
	};
	const callable = (it, f) => {
		object(it);
		if (typeof f !== 'function') throw new TypeError('the method of the iterator wants a function as its argument');
	};
	const helperProto = create(proto);
	const steps = new WeakMap(), stepsOf = uncurry(WeakMap.prototype.get), keep = uncurry(WeakMap.prototype.set);
	hide(helperProto, 'next', function next() {
		const s = stepsOf(steps, this);
		if (s === void 0) throw new TypeError('the method was called on a value that is no iterator helper');
		if (s.done) return { value: void 0, done: true };
		let r;
		try { r = s.step(); } catch (e) { s.done = true; throw e; }
		if (r.done) s.done = true;
		return r;
	});
	hide(helperProto, 'return', function return_() {
		const s = stepsOf(steps, this);
		if (s === void 0) throw new TypeError('the method was called on a value that is no iterator helper');
		if (!s.done) { s.done = true; s.close(); }
		return { value: void 0, done: true };
	});
	const helper = (step, close) => { const o = create(helperProto); keep(steps, o, { step, close, done: false }); return o; };
	const end = { value: void 0, done: true }, some = (value) => ({ value, done: false });
	const count = (it, n) => {
		object(it);
		n = Number(n);
		if (!(n >= 0)) throw new RangeError('the number must not be negative');
		return n === Infinity ? n : n - n % 1;
	};
	const from = (x, texts) => {
		if (typeof x !== 'string' || !texts) object(x);
		const f = x[iterator];
		return open(f === void 0 || f === null ? x : call(f, x));
	};
	const each = (it, f, visit) => {
		callable(it, f);
		const s = open(it);
		for (let i = 0; ; i++) {
			const r = s.next();
			if (r.done) return;
			if (guarded(s, () => visit(r.value, i))) { close(s); return; }
		}
	};
	const members = {
		map(f) {
			callable(this, f);
			const s = open(this); let i = 0;
			return helper(() => { const r = s.next(); return r.done ? end : some(guarded(s, () => f(r.value, i++))); }, () => close(s));
		},
		filter(f) {
			callable(this, f);
			const s = open(this); let i = 0;
			return helper(() => {
				for (;;) {
					const r = s.next();
					if (r.done) return end;
					if (guarded(s, () => f(r.value, i++))) return some(r.value);
				}
			}, () => close(s));
		},
		take(n) {
			let left = count(this, n);
			const s = open(this);
			return helper(() => {
				if (left === 0) { close(s); return end; }
				left--;
				const r = s.next();
				return r.done ? end : some(r.value);
			}, () => close(s));
		},
		drop(n) {
			let left = count(this, n);
			const s = open(this);
			return helper(() => {
				for (; left > 0; left--) if (s.next().done) return end;
				const r = s.next();
				return r.done ? end : some(r.value);
			}, () => close(s));
		},
		flatMap(f) {
			callable(this, f);
			const s = open(this); let i = 0, inner;
			return helper(() => {
				for (;;) {
					if (inner === void 0) {
						const r = s.next();
						if (r.done) return end;
						inner = guarded(s, () => from(f(r.value, i++), false));
					}
					const r = guarded(s, () => inner.next());
					if (!r.done) return some(r.value);
					inner = void 0;
				}
			}, () => { try { if (inner !== void 0) close(inner); } finally { close(s); } });
		},
		reduce(f, ...rest) {
			callable(this, f);
			const s = open(this);
			let acc, i = 0;
			if (rest.length > 0) acc = rest[0];
			else {
				const r = s.next();
				if (r.done) throw new TypeError('reduce of an empty iterator needs an initial value');
				acc = r.value;
				i = 1;
			}
			for (;; i++) {
				const r = s.next();
				if (r.done) return acc;
				acc = guarded(s, () => f(acc, r.value, i));
			}
		},
		toArray() { const s = open(this), out = []; for (let r = s.next(); !r.done; r = s.next()) out[out.length] = r.value; return out; },
		forEach(f) { each(this, f, (x, i) => { f(x, i); return false; }); },
		some(f) { let found = false; each(this, f, (x, i) => found = !!f(x, i)); return found; },
		every(f) { let all = true; each(this, f, (x, i) => !(all = !!f(x, i))); return all; },
		find(f) { let found; each(this, f, (x, i) => { if (!f(x, i)) return false; found = x; return true; }); return found; },
	};
	for (const name of Object.keys(members)) hide(proto, name, members[name]);
	const Iterator = function Iterator() {
		if (new.target === void 0 || new.target === Iterator) throw new TypeError('Iterator can\'t be made directly; use Iterator.from(x), or extend it');
	};
	define(Iterator, 'prototype', { value: proto });
	hide(proto, 'constructor', Iterator);
	hide(Iterator, 'from', function from_(x) {
		const s = from(x, true);
		for (let p = getPrototypeOf(s.it); p !== null; p = getPrototypeOf(p)) if (p === proto) return s.it;
		return helper(s.next, () => close(s));
	});
	return { Iterator };
})
