// Subclassing what makes functions; new.target; Reflect.construct are ways round a call.
const F = Object.getPrototypeOf(class {});
try { class X extends F {} ; return typeof new X('return 7')(); } catch (e) { return e.name; }
//=> "TypeError"
---
// twin: raw
class X extends Function {}
return new X('return 7')();
//=> 7
