// TypeScript, as models write it: types are taken away and nothing else changes.
async (api: Api): Promise<number> => await api.tasks.count()  //=> 5
---
interface Task { id: number; title: string; done: boolean }

async function main(api: { tasks: any }): Promise<Task[]> {
  const rows: Task[] = await api.tasks.where((t: Task) => t.done === false).execute();
  return rows.map(({ id, title, done }: Task): Task => ({ id, title, done })).slice(0, 1);
}
//=> [{"id":1001,"title":"ACME draw","done":false}]
---
type Row = { id: number; priority: number };
type ById = Record<number, Row>;
const byId: ById = {};
for (const t of (await tasks.execute()) as Row[]) byId[t.id] = t;
return Object.keys(byId).length;
//=> 5
---
export default async (api: any): Promise<{
  open: number;
  done: number;
}> => {
  const open: number = await api.tasks.where((t) => !t.done).count();
  return { open, done: (await api.tasks.count()) - open };
};
//=> {"open":4,"done":1}
---
export async function main({ tasks }: Api) {
  return tasks.where((t: any) => t.priority! > 2 && t.status as string === 'open').count();
}
//=> 2
---
const counts = new Map<string, number>();
for (const t of await tasks.execute()) counts.set(t.status, (counts.get(t.status) ?? 0) + 1);
return Object.fromEntries([...counts.entries()].sort());
//~> "open"
---
const first = (await tasks.orderBy((t) => t.id).first())!;
return first!.id as number;
//=> 1001
---
import type { Api } from './api';
export const main = async (api: Api) => api.tasks.count();
//=> 5
---
enum Status { Open = 'open', Done = 'done' }
return await tasks.where((t) => t.status === Status.Open).count() > 0;
//=> true
---
const enum Level { Low = 1, Mid, High = 5 }
return await tasks.where((t) => t.priority >= Level.High).count();
//=> 2
---
const pick = <T, K extends keyof T>(row: T, key: K): T[K] => row[key];
return pick(await tasks.orderBy((t) => t.id).first(), 'title');
//=> "ACME draw"
---
class Report {
  private lines: string[] = [];
  constructor(private readonly name: string, public limit?: number) {}
  add(line: string): this { this.lines.push(line); return this; }
  get text(): string { return `${this.name}: ${this.lines.join(', ')}`; }
}
return new Report('tasks').add(String(await tasks.count())).text;
//=> "tasks: 5"
---
abstract class Base<T> { abstract load(): Promise<T[]>; async size(): Promise<number> { return (await this.load()).length; } }
class Tasks extends Base<any> { override async load(): Promise<any[]> { return tasks.execute(); } }
return await new Tasks().size();
//=> 5
---
function total(xs: number[]): number;
function total(xs: string[]): string;
function total(xs: any[]): any { return xs.reduce((a, b) => a + b); }
return total((await tasks.execute()).map((t: { id: number }) => t.id)) > 5000;
//=> true
---
let best: { id: number; priority: number } | undefined;
for (const t of await tasks.execute()) if (!best || t.priority > best!.priority) best = t;
return best!.id;
//=> 1002
---
try {
  await box.fail();
} catch (e: unknown) {
  return (e as Error).message;
}
//=> "box.fail: internal error"
---
const isOpen = (t: any): t is { done: false } => t.done === false;
return (await tasks.execute()).filter(isOpen).length;
//=> 4
---
const config = { limit: 2, order: 'desc' } as const satisfies { limit: number; order: string };
return (await tasks.limit(config.limit).execute()).length;
//=> 2
---
const rows = await Promise.all<any>([tasks.count(), people.count()]);
return rows.length as number;
//=> 2
---
const groups = (await tasks.execute()).reduce<Record<string, number>>((acc, t) => {
  acc[t.status] = (acc[t.status] || 0) + 1;
  return acc;
}, {});
return Object.values(groups).reduce((a: number, b: number): number => a + b, 0);
//=> 5
---
const done: boolean = true, n: number | null = null;
return await tasks.where((t) => (done ? t.done === false : t.done) && t.priority > (n ?? 0)).count();
//=> 4
---
const sum = (await tasks.execute()).map((t) => t.priority!).reduce((a, b) => a + b, 0)!;
return Math.round(sum! / 5) >= 0;
//=> true
---
declare const tasks2: any;
type Fn = (a: number, ...rest: string[]) => void;
const f: Fn = (a, ...rest) => {};
let late!: number;
late = 3;
return late;
//=> 3
---
async (api: Api) => {
  const open = api.tasks.where((t: Task) => t.done === false) as Query<Task>;
  const [{ id }, n]: [Task, number] = await Promise.all([open.orderBy((t) => t.id).first(), open.count()]);
  return { id, n };
}
//=> {"id":1001,"n":4}
---
```typescript
type R = { n: number };
return { n: await tasks.count() } as R;
```
//=> {"n":5}
---
for await (const t of tasks.where((t: any) => t.id > 1004)) { return t.id as number; }
//=> 1090
---
// Every error has its place in the text as it was written.
interface A { x: string }
const a: A = { x: 'y' };
return await tasks.where((t: any) => t.nope === 1).count();  //! denied "nope"
//at 4:40
---
type A = {
  x: string;
};
enum E { A, B }
class C { constructor(private a: A) {} }
return cosole;  //! syntax "console"
//at 6:8
---
async (api: Api): Promise<{
  n: number;
}> => { return { n: (null as any).x }; }
//! program "Cannot read"
//at 3:35
---
const x: number = await tasks.where((t) => t.done).counts();  //! denied "counts"
//at 1:36
---
enum E { A = 1, B = missing.x }
//! syntax "missing"
//at 1:21
---
namespace Util { export const one = 1 }
return Util.one;  //! syntax "plain object"
//at 1:1
---
@sealed
class A {}  //! syntax "call the function yourself"
//at 1:1
---
const x: number = ;  //! syntax "Unexpected token ;"
//at 1:19
