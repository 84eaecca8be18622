(api) => JSON.stringify(api.currentUser, (k, v) => typeof v === 'object' ? Object.getOwnPropertyNames(v) : v)
