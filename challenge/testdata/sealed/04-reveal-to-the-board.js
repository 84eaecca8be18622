async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); await api.me.board().insert({ text: await reveal(s.code) }); return 'done' }
