const show = async (f) => {
  const text = (v, depth) => {
    switch (typeof v) {
      case 'string': return JSON.stringify(v);
      case 'number': return Object.is(v, -0) ? '-0' : String(v);
      case 'symbol': return v.toString();
      case 'function': return 'function ' + v.name + '/' + v.length;
      case 'object': break;
      default: return String(v);
    }
    if (v === null) return 'null';
    if (depth > 4) return '...';
    const tag = ({}).toString.call(v), out = [];
    if (tag === '[object Date]') return isNaN(v) ? 'Date none' : 'Date ' + v.toISOString();
    if (tag === '[object RegExp]') return String(v);
    if (tag === '[object Error]') return v.name;
    if (tag === '[object Set]') { for (const x of v) out[out.length] = text(x, depth + 1); return 'Set(' + out.join() + ')'; }
    if (tag === '[object Map]') { for (const [k, x] of v) out[out.length] = text(k, depth + 1) + '=>' + text(x, depth + 1); return 'Map(' + out.join() + ')'; }
    if (Array.isArray(v)) { for (let i = 0; i < v.length; i++) out[i] = i in v ? text(v[i], depth + 1) : ''; return '[' + out.join() + ']'; }
    for (const k in v) if (Object.hasOwn(v, k)) out[out.length] = k + ':' + text(v[k], depth + 1);
    return (tag === '[object Object]' ? '' : tag) + '{' + out.join() + '}';
  };
  try { return text(await f(), 0); } catch (e) { return 'throws ' + (e && e.name ? e.name : text(e, 0)); }
};
