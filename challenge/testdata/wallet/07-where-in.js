(api) => api.currentUser.accounts().wallets().where(w => w.id.in([112]).eq(true)).count()
