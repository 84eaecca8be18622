// Is there a todo called "Don't forget Sam's birthday"?

return (await api.currentUser.todos().where({ title: "Don't forget Sam's birthday" }).count()) === 1;

//=> true
