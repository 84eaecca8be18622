// How many todos are done and how many are open?

async (api) => {
  const [done, open] = await Promise.all([
    api.currentUser.todos().where({ completed: true }).count(),
    api.currentUser.todos().where({ completed: false }).count(),
  ]);
  return { done, open, percent: Math.round(100 * done / (done + open)) };
}

//=> {"done":4,"open":6,"percent":40}
