(function (engine, zoned) {
	'use strict';
	const { Date: NativeDate, Function, Object, String: str, undefined } = engine;
	// A native captured here is called through a bound call, never by looking up
	// `.call`: a program could have replaced that.
	const uncurry = Function.prototype.bind.bind(Function.prototype.call), define = Object.defineProperty;
	const hide = (o, name, value) => define(o, name, { value, writable: true, configurable: true, enumerable: false });

	// The host's time zone is nobody's business and would make runs differ from
	// machine to machine: local time is UTC. Nothing here converts from or to the
	// host's local time, not even to correct it: around a change of clocks that shows.
	const dp = NativeDate.prototype, get = {};
	for (const part of ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds', 'Day']) {
		get[part] = uncurry(dp['getUTC' + part]);
		hide(dp, 'get' + part, dp['getUTC' + part]);
		if (part !== 'Day') hide(dp, 'set' + part, dp['setUTC' + part]);
	}
	hide(dp, 'getTimezoneOffset', function getTimezoneOffset() { return 0; });
	hide(dp, 'getYear', function getYear() { return get.FullYear(this) - 1900; });
	delete dp.setYear;
	const getTime = uncurry(dp.getTime);
	const parse = (s) => getTime(new NativeDate(zoned(s)));
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

	return { Date: UTCDate };
})
