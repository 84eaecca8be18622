async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); const n = await api.me.board().where(p => p.text < s.code).update({ text: 'smaller' }); return [n, await api.me.board()] }
