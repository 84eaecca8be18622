['abc'.charAt(1), 'abc'.charAt(9), 'abc'.charCodeAt(9), 'a😀'.codePointAt(1), 'a😀'.length, [...'a😀b'], 'a😀'[1] === '\ud83d']
['abc'.slice(1), 'abc'.slice(-2, -1), 'abc'.substring(2, 0), 'abc'.substring(-1), 'abc'.substr(-2, 1)]
['a-b-c'.split('-'), 'abc'.split(''), ''.split(','), ''.split(''), 'a,b,c'.split(',', 2), 'abc'.split(), 'a1b2'.split(/\d/), 'a1b2'.split(/(\d)/)]
['  a '.trim(), ' a '.trimStart(), ' a '.trimEnd(), '\u00a0\ufeffa\n'.trim()]
['abc'.indexOf('c'), 'abc'.indexOf(''), 'abc'.indexOf('', 9), 'abcabc'.lastIndexOf('b'), 'abc'.lastIndexOf(''), 'abc'.indexOf('b', -5)]
['abc'.includes('bc'), 'abc'.startsWith('b', 1), 'abc'.endsWith('b', 2), 'abc'.includes('')]
'abc'.includes(/b/)
['5'.padStart(3, '0'), '5'.padEnd(3), 'abc'.padStart(2), 'x'.padStart(5, 'ab'), 'x'.padStart(3, '')]
['ab'.repeat(3), 'ab'.repeat(0), 'x'.repeat(2.9)]
'a'.repeat(-1)
'a'.repeat(Infinity)
['aXbX'.replace('X', '-'), 'aXbX'.replaceAll('X', '-'), 'abc'.replace('b', '[$&$`$\']'), 'abc'.replace('b', '$$'), 'a.b'.replaceAll('.', ''), 'abc'.replace('b', (m, i, s) => m + i + s)]
['aaa'.replaceAll('aa', 'b'), 'abc'.replaceAll('', '-'), 'x'.replace('x', undefined), 'x'.replace('x', '$1')]
'a'.replaceAll(/a/, 'b')
['ABC'.toLowerCase(), 'straße'.toUpperCase(), 'İ'.toLowerCase().length, 'ΑΣ'.toLowerCase()]
['a'.localeCompare('b'), 'a'.localeCompare('B'), 'a'.localeCompare('A'), 'é'.localeCompare('f'), 'a'.localeCompare('a')]
['\u0041\u030a'.normalize() === '\u00c5', '\ufb01'.normalize('NFKC'), '\u00c5'.normalize('NFD').length]
'a'.normalize('x')
[String.fromCharCode(97, 98), String.fromCodePoint(128512), String.raw`a\n${1}`, String(null), String(undefined), String(123), String(Symbol('x')), String([1, 2]), String({})]
String.fromCodePoint(-1)
['abc'.at(-1), 'abc'.concat(1, null), 'abc'[5], 'abc'['length'], '0' in Object('abc'), Object.keys('ab')]
['a' < 'b', 'a' < 'B', '10' < '9', '10' < 9, 'a' < 1, 'é' > 'z', '' < 'a', null >= 0, undefined == null, '1' == 1, NaN != NaN]
[`a${1 + 1}b`, `${[1, 2]}`, `${{}}`, `line\ntwo`, `\u0041`, `a${`b${1}`}`]
{ const tag = (s, ...v) => s.raw.join('|') + v.join(); return tag`a${1}\n${2}c`; }
[..."a\u{1F600}b"].length
['abc'.search('c'), 'abc'.search(/z/), 'abc'.match('b').index, 'abc'.match(/z/), 'abab'.match(/b/g), [...'abab'.matchAll(/b/g)].map((m) => m.index)]
['Hello'.split('').reverse().join(''), 'a b c'.split(' ').map((w) => w.toUpperCase()).join('_')]
['a\tb\\n', "it's", 'é'.length, '\x41', '\0'.length]
[encodeURIComponent('a b&c=d/é😀'), decodeURIComponent('%F0%9F%98%80'), encodeURI('http://x/a b?c=é#d'), decodeURI('%2F%41')]
decodeURIComponent('%')
encodeURIComponent('\ud800')
['1,234'.replace(/,/g, ''), 'camelCaseText'.replace(/([A-Z])/g, ' $1').toLowerCase(), 'snake_case'.replace(/_(\w)/g, (_, c) => c.toUpperCase())]
['abc' + 1 + 2, 1 + 2 + 'abc', '3' * '4', '3' - 1, +'', +' 12 ', +'1x', -'5', 'b' + 'a' + +'a' + 'a']
['a'.codePointAt(), 'a'.charCodeAt(), 'abc'.substring(NaN, 2), 'abc'.slice(undefined, undefined), 'abc'.split(undefined, 0)]
[typeof '', typeof new String('a'), new String('a') == 'a', new String('a') === 'a', new String('ab').length]
'abc'.foo
'abc'.foo()
{ 'abc'.length = 1; }
{ 'abc'[0] = 'x'; }
['ß'.localeCompare('ss'), 'z'.localeCompare('ä'), '10'.localeCompare('2')].length
'\u{10FFFD}'.length
