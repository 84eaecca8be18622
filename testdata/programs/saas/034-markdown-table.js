// Give me the members as a Markdown table.
// as: 3

async (api) => {
  const rows = await api.organization.members().orderBy(({ member }) => member.name).execute();
  const head = '| Name | Role |\n| --- | --- |';
  return [head, ...rows.map(({ name, role }) => `| ${name} | ${role} |`)].join('\n');
}

//=> "| Name | Role |\n| --- | --- |\n| Jasmine Lee | owner |\n| Karl Braun | member |\n| Liam O'Brien | member |"
