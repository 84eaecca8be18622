async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); return reveal(s.code) }
