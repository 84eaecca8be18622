async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); await api.me.board().where({ id: 401 }).update({ text: await text`Closed on ${s.code}` }); return api.me.board() }
