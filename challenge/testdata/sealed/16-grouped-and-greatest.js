async (api) => ({ most: await api.me.safes().max(s => s.code), by: await api.me.safes().groupBy(s => ({ c: s.code.slice(0, 9) })).select(g => ({ c: g.c, n: g.count() })) })
