(api) => api.me.batches().payouts().insert({ batchId: 61, payee: 'Robin Ode', cents: 99999, memo: 'thanks' })
