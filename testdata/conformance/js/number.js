[0.1 + 0.2, 1 / 3, 1e21, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308, -0, 0 === -0, 1 / -0]
[(1.005).toFixed(2), (1.45).toFixed(1), (1e21).toFixed(2), (0).toFixed(2), (-1.5).toFixed(0), (2.5).toFixed(0), (123.456).toFixed(10), (0.000001).toFixed(7)]
[(123.456).toPrecision(4), (0.00001).toPrecision(1), (1e21).toPrecision(3), (123456).toExponential(2), (0).toExponential(), (1.25).toExponential(1)]
(1).toPrecision(101)
(1).toFixed(-1)
(1).toString(1)
[(255).toString(16), (255).toString(2), (0.5).toString(2), (-255).toString(36), (1e21).toString(7).length > 5, (0.1).toString(3).slice(0, 10)]
[parseInt('42px'), parseInt('0x1f'), parseInt('101', 2), parseInt(''), parseInt('1e3'), parseInt(null), parseInt('9', 8), parseInt(0.0000005), parseInt('  7 ')]
[parseFloat('3.14abc'), parseFloat('.5'), parseFloat('-.5e-2x'), parseFloat('Infinityx'), parseFloat('1e1000'), parseFloat('-')]
[Number(''), Number(' '), Number('12px'), Number('0x10'), Number('0b11'), Number('0o7'), Number(null), Number(undefined), Number(true), Number([5]), Number([1, 2]), Number({}), Number('1_000'), Number('1e3'), Number(new Date(5))]
[Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.EPSILON, Number.MAX_VALUE, Number.MIN_VALUE, Number.POSITIVE_INFINITY, Number.NaN]
[Number.isInteger(5.0), Number.isInteger('5'), Number.isSafeInteger(2 ** 53), Number.isNaN('x'), isNaN('x'), isFinite('5'), Number.isFinite('5'), Number.parseFloat === parseFloat]
[5 % 3, -5 % 3, 5 % -3, 5.5 % 2, 5 % 0, -0 % 1, 2 ** 10, 2 ** -1, (-8) ** (1 / 3), 7 / 0, -7 / 0, 0 / 0]
[5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 31, 1 << 32, -1 >> 1, -1 >>> 1, -1 >>> 0, 2 ** 32 | 0, 1.9 | 0, NaN | 0, '3' & 1]
[0b101, 0o17, 0xff, 1_000_000, .5, 5., 1e3, 0.1e-2]
[Math.max(), Math.min(), Math.max(1, NaN), Math.max(1, '3'), Math.max(...[1, 2]), Math.min(-0, 0)]
[Math.round(0.5), Math.round(-0.5), Math.round(1.5), Math.round(2.5), Math.round(-1.5), Math.round(0.49999999999999994), Math.round(1e300)]
[Math.floor(-0.5), Math.ceil(-0.5), Math.trunc(-0.9), Math.sign(-3), Math.sign(-0), Math.abs(-5), Math.abs('x'), Math.abs(null)]
[Math.sqrt(2), Math.cbrt(27), Math.hypot(3, 4), Math.hypot(), Math.pow(2, 0.5), Math.exp(0), Math.log(1), Math.log10(1000), Math.log2(8), Math.log1p(0), Math.expm1(0), Math.fround(5.5), Math.clz32(1), Math.imul(3, 4)]
[Math.PI, Math.E, Math.LN2, Math.LN10, Math.LOG2E, Math.LOG10E, Math.SQRT2, Math.SQRT1_2]
[Math.sin(0), Math.cos(0), Math.tan(0), Math.asin(1), Math.acos(1), Math.atan(1), Math.atan2(1, 1), Math.sinh(0), Math.cosh(0), Math.tanh(0), Math.asinh(0), Math.acosh(1), Math.atanh(0)]
[Object.keys(Math), typeof Math, String(Math), typeof Math.random()]
[1 < 2, (1 < 2) < 3, (3 > 2) > 1, '2' > 1, null + 1, undefined + 1, true + true, [] + 1, {} + 1, [2] * [3], '5' - - '2']
{ let i = 1; const out = [i++, ++i, i--, --i, i]; i += 2; i **= 3; i %= 5; i <<= 2; i >>>= 1; i |= 1; i &= 7; i ^= 2; return [out, i]; }
{ let a = null, b = 0, c = 1; a ??= 5; b ||= 6; c &&= 7; return [a, b, c]; }
[typeof 1, typeof NaN, new Number(5) + 1, typeof new Number(5)]
[(1234.5).toLocaleString(), (0).toLocaleString(), (1e9).toLocaleString('en-US'), (0.123456).toLocaleString(), (1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }), (0.256).toLocaleString('en-US', { style: 'percent' })]
[Number('Infinity'), Number('-Infinity'), Number('infinity'), +[], +{}, +'\n', +'1,2', +'١']
[9007199254740993, 0.1 * 3, 1.1 + 2.2, 4.35 * 100, 1.15 + 2.30, 100 * 1.1]
[(25).toString(36), parseInt('z', 36), parseInt('12', 37), parseInt('1', 1), Number.parseInt('08')]
[1e21 + 1, 1e20 + '', 123e-20 + '', 0.000001 + '', 0.0000001 + '', 1e300 * 1e10, -1e-324]
1 < 2 < 3
parseInt('-0')
[10 - 3 - 2, 8 / 4 / 2, 2 ** 3 ** 2, 1 == 1 == 1, 1 === 1 !== 2, 16 >> 2 >> 1, 7 % 4 % 2, 'a' + 1 + 2, 5 & 3 | 4 ^ 1, 1 || 0 && 0, -1 >>> 28 >> 1, 2 * 3 % 4, 1 < 2 == true, !1 in { false: 1 }, 1 + 2 < 4, 3 - 2 + 1, null ?? 1 + 1, 1 ? 2 : 3 ? 4 : 5]
