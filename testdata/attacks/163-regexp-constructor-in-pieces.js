const C = /a/['constr' + 'uctor'];
try { return new C('(a)\\1').test('aa'); } catch (e) { return e.kind; }
//=> "program"
---
// twin: raw
return new (/a/.constructor)('(a)\\1').test('aa');
//=> true
