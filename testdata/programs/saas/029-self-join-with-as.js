// Which pairs of members joined in the same year?
// as: 2

async (api) => {
  const rows = await api.organization.members()
    .join(api.organization.members().as('other'), ({ member, other }) => member.id.lt(other.id))
    .select(({ member, other }) => ({ a: member.name, b: other.name, ja: member.joinedAt, jb: other.joinedAt }))
    .orderBy(({ member, other }) => [member.id, other.id])
    .execute();
  return rows.filter(r => r.ja.slice(0, 4) === r.jb.slice(0, 4)).map(r => [r.a, r.b]);
}

//=> [["Farid Rahimi","Greta Olsson"],["Farid Rahimi","Hana Sato"],["Greta Olsson","Hana Sato"]]
