async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); const p = await text`${s.code}${s.code}`; await api.me.board().insert({ text: p }); return p }
