(api) => api.currentUser.leftJoin(({ user }) => user.inviter().as('v')).leftJoin(({ v }) => v.accounts()).leftJoin(({ account }) => account.wallets()).execute()
