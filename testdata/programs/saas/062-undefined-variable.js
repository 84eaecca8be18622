// List our members.

async (api) => {
  const members = await db.members.findMany();
  return members;
}

//! syntax 2:25
//! `db`
