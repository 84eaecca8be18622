async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); await api.me.board().insert({ text: s.code }); return api.me.board() }
