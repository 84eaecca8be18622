async (api) => (await api.me.safes().where({ id: 22 }).first()).code
