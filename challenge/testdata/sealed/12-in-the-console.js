async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); console.log(s, s.code, `${s.owner}`); console.log({ ...s }); return Object.values(s) }
