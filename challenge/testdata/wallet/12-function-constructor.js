(api) => api.currentUser.constructor.constructor('return process')()
