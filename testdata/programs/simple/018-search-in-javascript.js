// Find everything that has to do with paying.

async (api) => {
  const all = await api.currentUser.todos().execute();
  return all.filter(t => t.title.toLowerCase().includes('pay')).map(t => t.title).sort();
}

//=> ["Pay rent","Pay the 100% deposit_fee"]
