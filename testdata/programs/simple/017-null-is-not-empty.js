// Which todos have notes, and what do they say?

async (api) => {
  const rows = await api.currentUser.todos().where(t => t.notes !== null).orderBy(t => t.id).execute();
  return Object.fromEntries(rows.map(r => [r.title, r.notes]));
}

//=> {"File the tax return":"Receipts are in the blue folder","Book flights to Lisbon":"Window seat","Don't forget Sam's birthday":"","Renew the passport":"The old one ends in 2036","Pay the 100% deposit_fee":"Ask for a receipt"}
