// How do I reach the owner of the organization?
// as: 2

async ({ organization }) => {
  const { email } = await organization.members().where({ role: 'owner' }).first();
  return email;
}

//=> "[sealed pii]"
