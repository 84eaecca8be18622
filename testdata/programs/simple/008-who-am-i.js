// What is my name and e-mail address?

const { name, email } = await api.currentUser.first();
return `${name} <${email}>`;

//=> "Ada Okafor <ada@example.com>"
