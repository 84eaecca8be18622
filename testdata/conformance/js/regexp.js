[/a+/.exec('baac'), /a+/.exec('baac').index, /(?<y>\d{4})-(?<m>\d\d)/.exec('on 2026-01').groups, /x/.exec('a')]
{ const r = /a/g, out = []; let m; while ((m = r.exec('banana'))) out.push([m.index, r.lastIndex]); return [out, r.lastIndex]; }
{ const r = /a/y; return [r.test('ba'), r.lastIndex, (r.lastIndex = 1, r.test('ba')), r.lastIndex]; }
['a1b22'.replace(/\d+/g, (m, i) => `<${m}${i}>`), 'John Smith'.replace(/(\w+) (\w+)/, '$2, $1'), 'x-y'.replace(/(?<a>x)-(?<b>y)/, '$<b>$<a>'), 'aaa'.replace(/a/, 'b'), 'abc'.replace(/(z)?b/, '[$1]')]
['a,b;c d'.split(/[,; ]/), 'abc'.split(/(?:)/), 'a1b2c3'.split(/\d/, 2), 'ab'.split(/a/), ''.split(/a/), ''.split(/(?:)/)]
[/^a.c$/s.test('a\nc'), /^b/m.test('a\nb'), /A/i.test('a'), /\u{61}/u.test('a'), /^.$/u.test('😀'), /^.$/.test('😀'), /\bfoo\b/.test('a foo b'), /[^a-z]/.test('abc')]
[/\d\w\s\D\W\S/.source, /a\/b/.source, new RegExp('').source, String(/x/gi), /x/gimsuy.flags, /x/g.global, /x/.ignoreCase, new RegExp('x', 'g').flags]
['aBc'.match(/b/i), 'abcabc'.match(/b/g), 'x'.match(/y/g), [...'a1b2'.matchAll(/([a-z])(\d)/g)].map((m) => m[1] + m[2])]
'x'.matchAll(/x/)
[/(a)|(b)/.exec('b'), /(?:)/.exec('x'), /a{2,3}/.exec('aaaa'), /a{2,3}?/.exec('aaaa'), /a??b/.exec('ab'), /[\]\-a]/.exec('-')]
[/\p{L}+/u.exec('héllo1'), /\p{Lu}/u.test('É'), /[\p{N}]/u.test('٣'), /\P{L}/u.test('a')]
new RegExp('(')
new RegExp('a', 'gg')
new RegExp('[')
[/[.]/.test('a'), /\./.test('a'), /^$/.test(''), /a|b|/.exec('c'), /(?:a|b)+/.exec('abab'), /\t\n\r\x41\u0041/.test('\t\n\rAA'), /\cA/.test('\x01'), /[\b]/.test('\b')]
['2026-01-31'.replace(/(\d+)-(\d+)-(\d+)/, '$3.$2.$1'), 'a.b.c'.replace(/\./g, '-'), '  x  y '.replace(/\s+/g, ' ').trim(), 'aaa'.lastIndexOf('a'), 'path/to/x'.match(/[^/]+$/)[0]]
['test@example.com'.match(/^[^@\s]+@[^@\s]+\.\w+$/) !== null, '555-1234'.replace(/\D/g, ''), 'a_b-c d'.split(/[_\- ]/), 'ÀÉ'.toLowerCase().match(/é/).index]
['abc'.search(/c/), 'abc'.replace(/b/g, '$&$&'), 'abc'.replace(/(b)(c)/, '$2$1$3$0$10'), 'aXbX'.replaceAll(/X/g, (m, off) => off), 'x'.replace(/x/, () => '$1')]
[/x/ instanceof RegExp, RegExp.name, typeof /x/, RegExp('x') instanceof RegExp, Object.keys(/x/), JSON.stringify(/x/), /x/.toString()]
[/\S+@\S+/.exec('me a@b c')[0], /[\s\S]+/.exec('a\nb')[0].length, /[^]/.test('\n'), /[]/.test('a'), /a$/.test('a\n'), /a$/m.test('a\n')]
new RegExp('a/b').source
/(a*)*/.exec('b')
