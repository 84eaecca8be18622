package kit

// InPages is a JavaScript function that returns all rows of a query, read in pages of n rows.
const InPages = `const inPages = async (q, n) => {
  const out = []; let next = null, calls = 0;
  do {
    const page = await q.page(n, next);
    if (page.rows.length > n || page.next && page.rows.length < n || page.next === undefined || ++calls > 1000) throw new Error('a page of ' + page.rows.length + ', ' + typeof page.next);
    out.push(...page.rows); next = page.next;
  } while (next);
  return out;
};
const text = x => JSON.stringify(x), same = (a, b) => text(a) === text(b) || [a, b];
`
