async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); throw new Error('it is ' + String(s.code) + JSON.stringify(s)) }
