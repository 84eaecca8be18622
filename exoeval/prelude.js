(function (safePattern) {
	'use strict';
	// Every function's constructor is Function, AsyncFunction or GeneratorFunction:
	// a compiler of strings. No syntax reaches them once these links are cut.
	const gone = { value: undefined, writable: false, configurable: false };
	for (const f of [() => {}, async () => {}, function* () {}]) {
		Object.defineProperty(Object.getPrototypeOf(f), 'constructor', gone);
	}
	delete Object.prototype.__proto__;
	delete Object.prototype.__defineGetter__;
	delete Object.prototype.__defineSetter__;
	delete Object.prototype.__lookupGetter__;
	delete Object.prototype.__lookupSetter__;
	delete Object.setPrototypeOf;
	// The engine reads the names of native functions while it captures a stack: a
	// getter there that throws captures another, until the Go stack ends the process.
	const define = Object.defineProperty, keysOf = Object.keys, symbolsOf = Object.getOwnPropertySymbols, text = String;
	define(Object.getPrototypeOf(define), 'name', { value: '', writable: false, configurable: false });
	const defineOne = (o, key, d) => {
		if (typeof key !== 'symbol') key = text(key);
		if (typeof o === 'function' && key === 'name') throw new TypeError('the name of a function can\'t be changed');
		return define(o, key, d);
	};
	define(Object, 'defineProperty', { value: function defineProperty(o, key, d) { return defineOne(o, key, d); }, writable: true, configurable: true });
	define(Object, 'defineProperties', { value: function defineProperties(o, ds) {
		const ks = keysOf(ds), syms = symbolsOf(ds);
		for (let i = 0; i < ks.length; i++) defineOne(o, ks[i], ds[ks[i]]);
		for (let i = 0; i < syms.length; i++) defineOne(o, syms[i], ds[syms[i]]);
		return o;
	}, writable: true, configurable: true });
	// A native captured here is called through a bound call, never by looking up
	// `.call`, `.test` or `.replace`: a program could have replaced those.
	const uncurry = Function.prototype.bind.bind(Function.prototype.call);
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });

	// Regular expressions made at run time pass the same check as literals: what
	// Go's engine can't run would go to a backtracking one without a time limit.
	const NativeRegExp = RegExp, str = String, proto = NativeRegExp.prototype;
	const includes = uncurry(str.prototype.includes);
	const isRegExp = (x) => { try { includes('', x); return false; } catch (e) { return true; } };
	const make = (p, f) => {
		let source = p, flags = f;
		if (typeof p === 'object' && p !== null && isRegExp(p)) {
			source = p.source;
			if (f === undefined) flags = p.flags;
		}
		source = source === undefined ? '' : str(source);
		flags = flags === undefined ? '' : str(flags);
		safePattern(source, flags);
		return new NativeRegExp(source, flags);
	};
	const SafeRegExp = function RegExp(p, f) { return make(p, f); };
	SafeRegExp.prototype = proto;
	hide(proto, 'constructor', SafeRegExp);
	delete proto.compile;
	for (const name of ['match', 'matchAll', 'search']) {
		const native = uncurry(String.prototype[name]), symbol = Symbol[name];
		hide(String.prototype, name, { [name](p) {
			// Read once: what the check saw is what is used.
			const own = typeof p === 'object' && p !== null ? p[symbol] : undefined;
			if (typeof own === 'function') return uncurry(own)(p, str(this));
			p = make(p === undefined || p === null || typeof p !== 'object' ? p : str(p), name === 'matchAll' ? 'g' : '');
			return native(this, p);
		} }[name]);
	}

	// The host's time zone is nobody's business and would make runs differ from
	// machine to machine: local time is UTC. Nothing here converts from or to the
	// host's local time, not even to correct it: around a change of clocks that shows.
	const NativeDate = Date, dp = NativeDate.prototype, get = {};
	for (const part of ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds', 'Day']) {
		get[part] = uncurry(dp['getUTC' + part]);
		hide(dp, 'get' + part, dp['getUTC' + part]);
		if (part !== 'Day') hide(dp, 'set' + part, dp['setUTC' + part]);
	}
	hide(dp, 'getTimezoneOffset', function getTimezoneOffset() { return 0; });
	hide(dp, 'getYear', function getYear() { return get.FullYear(this) - 1900; });
	delete dp.setYear;
	const exec = uncurry(NativeRegExp.prototype.exec), getTime = uncurry(dp.getTime);
	const iso = /^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*$/, dateOnly = /^\s*\d{4}(?:-\d\d){0,2}\s*$/, zoned = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)\s*$/i;
	const parse = (s) => {
		const local = exec(iso, s);
		if (local !== null) return getTime(new NativeDate(local[1] + 'T' + local[2] + 'Z'));
		if (exec(zoned, s) !== null || exec(dateOnly, s) !== null) return getTime(new NativeDate(s));
		return getTime(new NativeDate(s + ' UTC')); // NaN for what the engine can't read with a zone
	};
	const utc = NativeDate.UTC;
	const UTCDate = function Date(...a) {
		if (new.target === undefined) return full(new NativeDate());
		switch (a.length) {
		case 0: return new NativeDate();
		case 1: return new NativeDate(typeof a[0] === 'string' ? parse(a[0]) : a[0]);
		}
		return new NativeDate(utc(a[0], a[1], a[2] ?? 1, a[3] ?? 0, a[4] ?? 0, a[5] ?? 0, a[6] ?? 0));
	};
	UTCDate.prototype = dp;
	hide(dp, 'constructor', UTCDate);
	for (const name of ['UTC', 'now']) hide(UTCDate, name, NativeDate[name]);
	hide(UTCDate, 'parse', (s) => parse(str(s)));
	const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
	const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
	const two = (n) => n < 10 ? '0' + n : '' + n;
	const year = (d) => { const y = get.FullYear(d); return y > 999 ? '' + y : y >= 0 ? (y > 99 ? '0' : y > 9 ? '00' : '000') + y : '' + y; };
	const clock = (d) => two(get.Hours(d)) + ':' + two(get.Minutes(d)) + ':' + two(get.Seconds(d));
	const day = (d) => days[get.Day(d)] + ' ' + months[get.Month(d)] + ' ' + two(get.Date(d)) + ' ' + year(d);
	const short = (d) => two(get.Month(d) + 1) + '/' + two(get.Date(d)) + '/' + year(d);
	const full = (d) => day(d) + ' ' + clock(d) + ' GMT+0000 (UTC)';
	const forms = {
		toString: full, toDateString: day, toTimeString: (d) => clock(d) + ' GMT+0000 (UTC)',
		toLocaleString: (d) => short(d) + ', ' + clock(d), toLocaleDateString: short, toLocaleTimeString: clock,
	};
	for (const name of ['toString', 'toDateString', 'toTimeString', 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
		const form = forms[name];
		hide(dp, name, { [name]() { return getTime(this) === getTime(this) ? form(this) : 'Invalid Date'; } }[name]);
	}

	// The most frequent mistake of all: the promise of rows used as the rows.
	const early = (what, word) => ({ configurable: true, get() { throw new TypeError('a promise was not awaited: ' + what + ' is a member of its result; write (await …)' + word); } });
	for (const name of ['map', 'filter', 'forEach', 'reduce', 'find', 'findIndex', 'some', 'every', 'slice', 'sort', 'flatMap', 'includes', 'length', 'at', 'results', 'join', 'push', 'concat']) {
		define(Promise.prototype, name, early('`' + name + '`', '.' + name));
	}
	define(Promise.prototype, Symbol.iterator, early('the iterator', ' before going through it'));

	const groupInto = (items, f, add) => { let i = 0; for (const x of items) add(f(x, i++), x); };
	hide(Object, 'groupBy', function groupBy(items, f) {
		const out = Object.create(null);
		groupInto(items, f, (k, x) => { (out[k] ??= []).push(x); });
		return out;
	});
	hide(Map, 'groupBy', function groupBy(items, f) {
		const out = new Map();
		groupInto(items, f, (k, x) => { if (out.has(k)) out.get(k).push(x); else out.set(k, [x]); });
		return out;
	});
	hide(Promise, 'withResolvers', function withResolvers() {
		let resolve, reject;
		const promise = new Promise((a, b) => { resolve = a; reject = b; });
		return { promise, resolve, reject };
	});
	const clone = (x, seen) => {
		if (typeof x === 'function' || typeof x === 'symbol') throw new TypeError('structuredClone: functions and symbols can\'t be cloned');
		if (typeof x !== 'object' || x === null) return x;
		if (seen.has(x)) return seen.get(x);
		let out;
		if (Array.isArray(x)) { seen.set(x, out = []); for (const y of x) out.push(clone(y, seen)); return out; }
		if (x instanceof Date) return new Date(x.getTime());
		if (x instanceof Map) { seen.set(x, out = new Map()); for (const [k, v] of x) out.set(clone(k, seen), clone(v, seen)); return out; }
		if (x instanceof Set) { seen.set(x, out = new Set()); for (const v of x) out.add(clone(v, seen)); return out; }
		seen.set(x, out = {});
		for (const k of Object.keys(x)) out[k] = clone(x[k], seen);
		return out;
	};
	return { structuredClone: (x) => clone(x, new Map()), RegExp: SafeRegExp, Date: UTCDate };
})
