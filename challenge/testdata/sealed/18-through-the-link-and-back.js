(api) => api.me.letters().where(l => l.body === 'Welcome to the bank.').safe().select(x => ({ it: x.code, other: x.owner + x.code }))
