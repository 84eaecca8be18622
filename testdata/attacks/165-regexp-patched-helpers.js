// The check must not use what the program can replace.
const S = 'proto' + 'type';
String[S].includes = () => { throw 0; };
const str = String; 
try { Object.defineProperty(String, 'call', { value: () => 'a' }); } catch (e) {}
try { return new RegExp('(a)\\1').test('aa'); } catch (e) { return e.kind; }
//=> "program"
---
// twin: raw
return new RegExp('(a)\\1').test('aa');
//=> true
