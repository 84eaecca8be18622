// Who works here, and in which role?

async (api) => {
  const members = await api.organization.members().orderBy(m => m.name).execute();
  return members.map(m => `${m.name} (${m.role})`);
}

//=> [
//  "Alice Moreau (owner)",
//  "Bob Castellanos (admin)",
//  "Carol Nguyen (member)",
//  "Dmitri Volkov (member)",
//  "Esther Mbeki (guest)"
// ]
