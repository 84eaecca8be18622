// Who is the first member with the role admin?
// as: 3

async (api) => {
  const admin = await api.organization.members().where({ role: 'admin' }).first();
  return admin.name;
}

//! program 3:16
//! Cannot read property 'name'
