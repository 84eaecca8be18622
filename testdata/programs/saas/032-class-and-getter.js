// Make a summary: members, projects, tasks.
// as: 2

class Summary {
  #api;
  constructor(api) { this.#api = api; }
  get org() { return this.#api.organization; }
  async build() {
    const [members, projects, tasks] = await Promise.all([
      this.org.members().count(),
      this.org.projects().count(),
      this.org.projects().tasks().count(),
    ]);
    return { members, projects, tasks };
  }
}

async (api) => new Summary(api).build()

//=> {"members":4,"projects":3,"tasks":20}
