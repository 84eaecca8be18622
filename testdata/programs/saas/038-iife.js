// Give me the names of all members.

(async () => {
  const members = await api.organization.members().orderBy(m => m.id).execute();
  return members.map(m => m.name);
})()

//=> ["Alice Moreau","Bob Castellanos","Carol Nguyen","Dmitri Volkov","Esther Mbeki"]
