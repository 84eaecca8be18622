package exoeval

import (
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// typed are programs in TypeScript: as models write them, and what is hard to read.
var typed = []struct{ src, want string }{
	{"async (api: Api): Promise<number> => api.n", "42"},
	{"(api: { n: number; todos: any }) => api.n as number", "42"},
	{"interface Api { n: number }\nexport default async (api: Api): Promise<number> => {\n  return api.n;\n}", "42"},
	{"type Row = { id: number; title?: string };\ntype Rows = Row[];\nasync function main(api: any): Promise<Rows> {\n  const rows: Rows = [{ id: api.n }];\n  return rows;\n}", `[{"id":42}]`},
	{"function (api: Api): number { return api.n }", "42"},
	{"export async function main(api: Api) { return api.n }", "42"},
	{"const x: number = api.n; return x", "42"},
	{"let x: number | null = null, y: string | undefined, z!: boolean; x = 1; return [x, y, z]", "[1,null,null]"},
	{"const m = new Map<string, number>(); m.set('a', 1); return m.get('a')", "1"},
	{"const m = new Map<string, Array<Map<string, number>>>(); return m.size", "0"},
	{"const x = api.n as any as number; return x satisfies number", "42"},
	{"return api.n! + api!.n! / 2 + (api.n! as number) / 2", "84"},
	{"let total: number = 0; for (const x of [1, 2, 3] as number[]) total += x; return total", "6"},
	{"import type { Api } from './api'\nimport type X from 'x';\nimport { type A, type B } from 'y'\nreturn 1", "1"},
	{"export type A = string; export interface B { x: A }\nexport type { A as C }\nconst a: A = 'a'; return a", `"a"`},
	{"type F = (a: string, b?: number) => void\ntype G = new () => F; type H = abstract new (...args: any[]) => any\ntype I<T> = T extends (infer U)[] ? U : T extends string ? 's' : never\ntype J = { readonly [K in keyof F]?: F[K] } & Record<string, unknown>\ntype K = `a${string}b` | -1 | null | typeof api.n | [a: string, b?: number, ...rest: F[]]\ntype L = readonly string[] | unique symbol | keyof typeof api | import('x').Y<string>\nreturn 2", "2"},
	{"function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any): any { return a }\nreturn f(3)", "3"},
	{"const id = <T,>(x: T): T => x; const id2 = <T extends object = {}>(x: T) => x; const id3 = async <T>(x: T): Promise<T> => x; return [id(1), id2(2 as any), await id3<number>(3)]", "[1,2,3]"},
	{"function isRow(x: unknown): x is { id: number } { return typeof x === 'object' }\nfunction check(x: any): asserts x is string {}\nfunction check2(this: any, x: any): asserts x {}\ncheck(1); check2(1); return isRow({})", "true"},
	{"const xs = [3, 1, 2].sort((a: number, b: number): number => a - b).filter((x): x is number => x > 1); return xs", "[2,3]"},
	{"try { throw new Error('q') } catch (e: any) { return (e as Error).message }", `"q"`},
	{"try { throw new Error('q') } catch (e: unknown) { return e instanceof Error ? e.message : String(e) }", `"q"`},
	{"class A<T> implements I, J<T> {\n  private readonly x: number = 1;\n  static y?: string;\n  declare z: string;\n  [key: string]: any;\n  #p!: T;\n  constructor(private a: number, public readonly b = 2, c?: string) { this.x += a }\n  get sum(): number { return this.x + this.a + this.b }\n  protected async m<U>(u: U): Promise<U> { return u }\n  public static s(): number { return 5 }\n}\nconst a = new A<string>(10); return [a.sum, A.s(), A.y, a.a]", "[23,5,null,10]"},
	{"abstract class B { abstract name: string; abstract m(): void; n(): number { return 1 } }\nclass C extends B { name = 'c'; constructor(private k: number) { super(); this.k++ } override m(): void {} get kk() { return this.k } }\nreturn [new C(1).n(), new C(1).kk]", "[1,2]"},
	{"enum Color { Red, Green = 5, Blue }\nreturn [Color.Red, Color.Green, Color.Blue, Color[5], Color[0]]", `[0,5,6,"Green","Red"]`},
	{"enum S { Open = 'open', Done = 'done', }\nconst enum T { A = 1 << 2, B = A | 1, 'x-y' = 9, default = 10 }\nreturn [S.Open, Object.values(S), T.B, T['x-y'], T.default]", `["open",["open","done"],5,9,10]`},
	{"export enum Level {\n  Low = 1, // low\n  Mid,\n  /* high */ High,\n}\nreturn Level.High", "3"},
	{"declare const api2: any; declare function g(x: string): void;\ndeclare module 'x' { const y: number }\ndeclare global { interface Q {} }\ndeclare let v: { a: string }\nreturn 1", "1"},
	{"const o = { m(a: string): string { return a }, async n<T>(x: T): Promise<T> { return x }, get p(): number { return 1 }, set p(v: number) {}, f: (x: number): number => x, ['k' as string]: 1 as const }; return [o.m('a'), o.p, o.f(2), o.k]", `["a",1,2,1]`},
	{"const { a, b = 2 }: { a: number; b?: number } = { a: 1 }; const [c]: [number] = [3]; return [a, b, c]", "[1,2,3]"},
	{"function f({ a, b }: { a: number, b: number }, ...rest: number[]): number { return a + b + rest.length } return f({ a: 1, b: 2 }, 3, 4)", "5"},
	{"const t = true; return t ? (1) : 2", "1"},
	{"const c = api.n > 1 ? (x: number) => x : (y: number): number => y; return c(7)", "7"},
	{"const a = 1, b = 2, d = (x: any) => x; return a ? (b) : (d as any)", "2"},
	{"const f = (a?: number, b: string = 'x') => b; return f()", `"x"`},
	{"async (\n  api: {\n    n: number;\n  },\n): Promise<{\n  total: number;\n}> => {\n  return { total: api.n };\n}", `{"total":42}`},
	{"const x = api.n as any\n;[1].map(y => y); return x", "42"},
	{"let x = api.n as any\n[1].map(y => y); return 5", "5"},
	{"const g = async <\n T\n>(x: T) => x; return await g(1)", "1"},
	{"return [1, 2].reduce<number>((a, b) => a + b, 0)", "3"},
	{"return [1, 2].reduce<Record<string, number>>((a, b) => ({ ...a, [`k${b}`]: b }), {})", `{"k1":1,"k2":2}`},
	{"return await Promise.all<number>([1])", "[1]"},
	{"const a = 1 < 2, b = 3 > (2), x: any = 0; return [a, b]", "[true,true]"},
	{"const x: any = 8 >> 1 >>> 1; return x < 5 && x > 1", "true"},
	{"const f = <any>((x: any) => x); return (<number>f(3))", "3"},
	{"let v: Array<number>= [1]; const f = (): Array<number>=> v; return f()", "[1]"},
	{"switch (api.n as number) { case (42): { const q: string = 'y'; return q } default: return 'n' }", `"y"`},
	{"label: for (let i: number = 0; i < 3; i++) { for (const k in { a: 1 } as any) continue label }\nvar w: number; return w", "undefined"},
	{"const as = 1, type = 2, satisfies = 3, of = 4, declare = 5, namespace = 6, is = 7; type\nnamespace\nlet k: number = as + type; return k", "3"},
	{"return [(function* <T>(): Generator<T> { yield 1 as any; const x: number = yield })().next().value, `a${1 as number}b${`c${2 as any}`}`]", `[1,"a1bc2"]`},
	{"const r: RegExp = /a[/]b/; return r.test('a/b') && !/x/.test('y')", "true"},
	{"interface X<T = {}> extends Y<T>, Z { (a: string): void; new (b: number): X; readonly [k: string]: unknown; m?(): void }\nreturn 1", "1"},
	{"todos.where((t: any) => t.n === 3 && (t.title as string) !== null && !t.done)", "true"},
	{"const rows = (await api.todos.select((t: Todo) => ({ a: t.n! }))) as { a: number }; return rows!.a", "3"},
	{"{ a: api.n as number, b: <any>2 }", `{"a":42,"b":2}`},
	{"const x = { n: 1 } as { n: number } | undefined; return x?.n ?? (0 as number)", "1"},
	{"const key = 'n' as keyof typeof api; return api[key]!", "42"},
	{"const fn = function <T>(this: any, x: T): T { return x }; return fn<number>(1)", "1"},
	{"let u: undefined | (() => void); return u?.() as void", "undefined"},
	{"if ((api.n as number) > 1) return 'a' as const; else return 'b' as const", `"a"`},
	{"const p = new Promise<void>((resolve) => resolve()); await p; return 1", "1"},
	{"const s = new Set<number>([1]), w = new Array<string>; return [s.size, w.length]", "[1,0]"},
	{"return Object.entries({ a: 1 } as Record<string, number>).map(([k, v]: [string, number]) => `${k}=${v}`)", `["a=1"]`},
	{"const a: any = { b: { c: [1] } }; return a!.b!.c![0]!", "1"},
	{"let n = 1 as number; n! += 2; (n as number)++; return n", "4"},
	{"get<Row>(1); function get(x) { return x } return get<Row>(2)", "2"},
	{"class K { x\n y = 1\n static z: string\n async\n get\n v(): number { return this.y } }\nreturn new K().v", "1"},
	{"while (false as boolean) {}\ndo { } while (null as any)\nreturn 1", "1"},
	{"const g = (x: any) => <any>{ a: x }, h = (x: any) => <any>(x), k = () => <any><unknown>function () { return 1 }; return [g(1), h(2), k()()]", `[{"a":1},2,1]`},
	{"<any>{ a: 1 }", `{"a":1}`},
	{"async function main(api: Api) { return api.n }\nexport {}", "42"},
	{"const a = 1 as number // one\nconst b = (x: number /* , */) => x; return a + b(1)", "2"},
	{"class A { static: number\n get: string\n x = 1\n }; return Object.keys(new A())", `["static","get","x"]`},
	{"const c = api.n ? (): number => 1 : null; return c()", "1"},
	{"const x: number = 0, a = 0, b = 3; return [a < b, b > x, a < b, b > -1]", "[true,true,true,true]"},
	{"const q: any = 1\n!q\nconst r: number = 3; return r", "3"},
	{"const f = (): Array<number>=> { const z: number = 1; return [z] }; return f()", "[1]"},
	{"const last: number = 7; enum E { A = last, B } return [E.A, E.B]", "[7,8]"},
	{"throw (new Error('boom') as any)", "throws Error: boom"},
}

// A program with types does what it does without them.
func TestTypeScript(t *testing.T) {
	for _, c := range typed {
		p, err := compile(c.src, testConfig())
		if err != nil {
			t.Errorf("%s\n%v", c.src, err)
			continue
		}
		vm, _, api := testRealm(t)
		if got := runCompiled(t, vm, p.compiled, api); got != c.want {
			t.Errorf("%s\ngot %s, want %s", c.src, got, c.want)
		}
	}
}

// esbuild reads TypeScript with a parser of its own: what it prints of a program
// is what it prints of our erased one, read as JavaScript.
func TestErasedLikeEsbuild(t *testing.T) {
	same := 0
	for _, c := range typed {
		if sameAsEsbuild(t, c.src) {
			same++
		}
	}
	if same < 50 {
		t.Errorf("only %d programs compared", same)
	}
}

// FuzzErasedLikeEsbuild looks for programs that both read, and read differently.
func FuzzErasedLikeEsbuild(f *testing.F) {
	for _, c := range typed {
		f.Add(c.src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < 2000 {
			sameAsEsbuild(t, src)
		}
	})
}

// notComparable is written in other words by esbuild, or dropped.
var notComparable = regexp.MustCompile(`enum|private|public|protected|readonly|override|namespace|module|import|export|@|accessor|using|declare|<!--|-->|\bthis\b|use strict|__proto__|await|let|yield|\\|[^\x00-\x7f]`)

func sameAsEsbuild(t *testing.T, src string) bool {
	if notComparable.MatchString(strings.NewReplacer("private readonly x", "", "await ", "", "let ", "").Replace(src)) {
		return false
	}
	for _, wrap := range [][2]string{{exprPrefix, exprSuffix}, {bodyPrefix, bodySuffix}} {
		src := wrap[0] + src + wrap[1]
		want, ok := printed(src, api.LoaderTS)
		if !ok {
			continue
		}
		toks, f := scan(nil, src, 100, true)
		if f != nil {
			return false
		}
		out, stuck, f := eraseAs(src, toks, func(e *eraser) { e.statements("") })
		if f != nil || stuck >= 0 {
			continue // an error for the author, no other program
		}
		got, ok := printed(out.text, api.LoaderJS)
		if !ok {
			continue // the parser will say so
		}
		if got != want {
			t.Errorf("%s\nerased %s\ngot  %s\nwant %s", src, out.text, got, want)
		}
		return true
	}
	return false
}

func printed(src string, loader api.Loader) (string, bool) {
	r := api.Transform(src, api.TransformOptions{Loader: loader, Target: api.ESNext, MinifyWhitespace: true})
	return strings.ReplaceAll(string(r.Code), ";", ""), len(r.Errors) == 0
}

func BenchmarkCompileTypeScript(b *testing.B) {
	const src = "interface Row { title: string; n: number }\nasync (api: Api): Promise<{ sum: number }> => {\n const rows: Row[] = await api.todos.where((t: any) => t.done === false && t.n > 3).select((t) => ({ title: t.title, n: t.n * 2 }));\n let sum: number = 0;\n for (const r of rows) { if (r.n! > 1) sum += r.n as number }\n return { sum };\n}"
	cfg := testConfig()
	for b.Loop() {
		if _, err := compile(src, cfg); err != nil {
			b.Fatal(err)
		}
	}
}
