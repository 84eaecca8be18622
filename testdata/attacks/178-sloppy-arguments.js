// arguments.callee and Function.caller lead to the caller's function.
const f = function () { try { return typeof arguments['cal' + 'lee']; } catch (e) { return e.name; } };
const g = function () { try { return typeof g['cal' + 'ler']; } catch (e) { return e.name; } };
return [f(), g()];
//=> ["TypeError","TypeError"]
---
// twin: raw
return (function () { return typeof arguments.callee; })();
//=> "function"
